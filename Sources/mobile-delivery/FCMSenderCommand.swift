import Daemon
import Delivery
import FCMSender
import Sending

extension Command {
    /// Runs until SIGTERM; start more of it for more throughput.
    static let fcmSender = Command(
        "fcm-sender", summary: "Send the hints of the FCM routes: one request, one verdict, one outcome each.",
        options: senderOptions
    ) { arguments in
        try await DaemonMain.run("fcm-sender") { context in
            var configuration = FCMSender.Configuration(context.environment)
            configuration.sending.isDryRun = arguments.has("dry-run")
            let parts = SenderParts(context.environment)
            try context.environment.finish()
            let (apps, routes) = try parts.routes(of: .fcm, named: arguments.values(of: "route"))
            let courier = try FCMCourier(configuration, apps: apps, routes: routes, metrics: context.metrics)
            return try parts.services(
                "fcm-sender", routes: routes, courier: courier, settings: configuration.sending, context)
        }
    }
}
