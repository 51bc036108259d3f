import APNSSender
import Cryptography
import Daemon
import Delivery
import FCMSender
import Sending

extension Command {
    /// Offline: reads what a sender would read and asks no server.
    static let checkConfig = Command(
        "check-config", summary: "Check the apps file, the keys it names and the token keys; asks no server."
    ) { _ in
        let reader = EnvironmentReader(ProcessEnvironment.current)
        let apns = APNSSender.Configuration(reader)
        let fcm = FCMSender.Configuration(reader)
        _ = reader.secret("MOBILE_DELIVERY_TOKEN_KEYS", required: false, expected: "the JSON of the token keys") {
            try TokenKeys(json: $0)
        }
        let path = reader.string("MOBILE_DELIVERY_APPS_FILE")
        try reader.finish()
        let apps: AppsFile
        do throws(AppsFileError) {
            apps = try AppsFile(reading: path)
        } catch {
            throw error.failure
        }
        let routes = apps.routes.compactMap { Route(queue: $0.queue) }
        // Building a courier reads every key file and service account of its routes.
        let apnsRoutes = routes.filter { $0.provider == .apns }
        let fcmRoutes = routes.filter { $0.provider == .fcm }
        let couriers: [any Courier] = [
            try APNSCourier(apns, apps: apps, routes: apnsRoutes, metrics: Metrics()),
            try FCMCourier(fcm, apps: apps, routes: fcmRoutes, metrics: Metrics()),
        ]
        for courier in couriers { await courier.close() }
        for route in routes { print("\(route): queue \(route.queue)") }
        print("\(path) is sound: \(apps.apps.count) apps, \(routes.count) routes")
    }
}
