import APNSSender
import Daemon
import Delivery
import Sending

extension Command {
    /// Runs until SIGTERM; start more of it for more throughput.
    static let apnsSender = Command(
        "apns-sender", summary: "Send the hints of the APNs routes: one request, one verdict, one outcome each.",
        options: senderOptions
    ) { arguments in
        try await DaemonMain.run("apns-sender") { context in
            var configuration = APNSSender.Configuration(context.environment)
            configuration.sending.isDryRun = arguments.has("dry-run")
            let parts = SenderParts(context.environment)
            try context.environment.finish()
            let (apps, routes) = try parts.routes(of: .apns, named: arguments.values(of: "route"))
            let courier = try APNSCourier(configuration, apps: apps, routes: routes, metrics: context.metrics)
            return try parts.services(
                "apns-sender", routes: routes, courier: courier, settings: configuration.sending, context)
        }
    }

    static let senderOptions: [CommandOption] = [
        .value("route", "ROUTE", "only this route, such as apns.production.cheqi; may be repeated"),
        .flag("dry-run", "check credentials and hints, ring nobody, and give the hints back"),
    ]
}
