/// The apps that hints go to, and with whose credentials: one JSON file that every service reads at its start.
///
///     {"apps": [{
///       "name": "cheqi",                        [a-z0-9-]{1,40}, not "dead": part of queue names
///       "apns": {
///         "bundleId": "nl.cheqi.app",           apns-topic
///         "teamId": "DEF123GHIJ",  "keyId": "ABC123DEFG",
///         "keyFile": "AuthKey_ABC123DEFG.p8",   relative to this file
///         "environments": ["production"],       default; "production", "sandbox" or both
///         "category": "RECEIPT_AVAILABLE",      default
///         "localization": {                     keys in the app's string catalogue; the defaults
///           "RECEIPT": {"title": "receipt.available.title", "body": "receipt.available.body"},
///           "CREDIT_NOTE": {"title": "credit_note.available.title", "body": "credit_note.available.body"}}},
///       "fcm": {"projectId": "cheqi-prod", "serviceAccountFile": "service-account.json"}
///     }]}
///
/// An app has `apns`, `fcm` or both.
public struct AppsFile: Equatable, Sendable {
    public struct App: Equatable, Sendable {
        public var name: String
        public var apns: APNS?
        public var fcm: FCM?
    }

    public struct APNS: Equatable, Sendable {
        public var bundleID: String
        public var teamID: String
        public var keyID: String
        /// Absolute, or relative to the working directory as the apps file's own path is.
        public var keyFile: String
        public var environments: [String]
        public var category: String
        /// By document type: "RECEIPT" and "CREDIT_NOTE", always both.
        public var localization: [String: Localization]
    }

    public struct Localization: Equatable, Sendable {
        public var title: String
        public var body: String

        public init(title: String, body: String) {
            self.title = title
            self.body = body
        }
    }

    public struct FCM: Equatable, Sendable {
        public var projectID: String
        public var serviceAccountFile: String
    }

    /// One queue of the broker.
    public struct Route: Hashable, Sendable {
        /// "apns" or "fcm".
        public var provider: String
        /// "production" or "sandbox" for APNs, "" for FCM.
        public var environment: String
        public var app: String

        /// `hints.apns.<environment>.<app>` or `hints.fcm.<app>`.
        public var queue: String {
            environment.isEmpty ? "hints.\(provider).\(app)" : "hints.\(provider).\(environment).\(app)"
        }
    }

    public var path: String
    public var apps: [App]

    /// Every queue that this file asks for, in its order.
    public var routes: [Route] {
        apps.flatMap { app in
            (app.apns?.environments ?? []).map { Route(provider: "apns", environment: $0, app: app.name) }
                + (app.fcm == nil ? [] : [Route(provider: "fcm", environment: "", app: app.name)])
        }
    }

    public func app(named name: String) -> App? { apps.first { $0.name == name } }
}
