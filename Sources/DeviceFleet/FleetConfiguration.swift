import Delivery

/// A fleet of simulated phones.
public struct FleetConfiguration: Sendable {
    /// Where enrolment tickets come from.
    public enum Tickets: Sendable {
        /// The producer API, with this bearer token.
        case producer(token: String)
        /// One a phone, in order; used up ones are no fault if the phone enrolled with it before.
        case given([String])
    }

    /// Base URL of the device gateway.
    public var gateway: String
    /// Trusted besides nothing else, if the gateway has a certificate of its own.
    public var caFile: String?
    /// Control URL of the provider simulator; without it no hint arrives.
    public var providers: String?
    public var tickets: Tickets
    public var account: String
    /// More than one: phones of each platform are dealt out to `<account>-0`, `<account>-1` and so on.
    public var accounts = 1
    public var ios = 1
    public var android = 1
    /// Where each phone keeps its store; without it in memory.
    public var directory: String?
    /// Pinned author keys by id.
    public var authors: [String: [UInt8]]
    public var app = "cheqi"
    /// Of the iOS builds.
    public var environment = "production"
    /// What the simulator knows the app by; "" = what it makes of the app's name.
    public var bundleID = ""
    public var projectID = ""
    /// Every phone comes to the foreground that often, besides at its start and at SIGUSR1.
    public var foregroundEvery: Duration?
    /// One foreground sync a phone, then the end.
    public var isOnce = false
    /// Longest pause after failures.
    public var retryCap: Duration = .seconds(10)

    public init(gateway: String, account: String, tickets: Tickets, authors: [String: [UInt8]]) {
        self.gateway = gateway
        self.account = account
        self.tickets = tickets
        self.authors = authors
    }

    /// Of the phone of that number on either platform.
    func account(of number: Int) -> String { accounts > 1 ? "\(account)-\(number % accounts)" : account }

    func route(of platform: Platform) -> Route {
        switch platform {
        case .ios: Route(provider: .apns, environment: environment, app: app)
        case .android: Route(provider: .fcm, environment: "", app: app)
        }
    }

    /// The bundle id or project that the simulator checks a token against.
    func owner(of platform: Platform) -> String {
        switch platform {
        case .ios: bundleID.isEmpty ? "com.example.\(app)" : bundleID
        case .android: projectID.isEmpty ? "simulated-\(app)" : projectID
        }
    }
}
