import Delivery

extension JSONWriter {
    /// `provider`, `environment` ("" for FCM) and `app`.
    mutating func members(of route: Route) {
        member("provider", route.provider.rawValue)
        member("environment", route.environment)
        member("app", route.app)
    }
}
