public import Daemon
public import Delivery
import Messages
public import Postgres

/// Which hints a change is about; all that is given must hold. The keys are those of `delivery.matching_due`.
public struct DueFilter: Equatable, Sendable {
    public var route: String?
    public var app: String?
    public var environment: String?
    public var device: Identifier?
    public var account: String?
    public var job: Identifier?
    public var entry: Identifier?
    /// Beginning of the last outcome, as `status` groups them.
    public var reason: String?
    /// Committed at least so long ago.
    public var olderThan: Duration?
    /// Of the lease: only for `release`.
    public var owner: Identifier?
    /// `release` also what the broker confirmed.
    public var includesAwaiting = false
    /// Committed before: only for `expire`.
    public var committedBefore: Timestamp?

    public init() {}

    public static let options: [CommandOption] = [
        .value("route", "ROUTE", "of this route, as `route list` names it"),
        .value("app", "APP", "of this app"),
        .value("environment", "ENVIRONMENT", "production or sandbox"),
        .value("device", "ID", "for this device"),
        .value("account", "ACCOUNT", "of this account"),
        .value("job", "ID", "of this job"),
        .value("entry", "ID", "this one"),
        .value("reason", "TEXT", "whose last outcome begins with it, as `status` shows it"),
        .value("older-than", "TIME", "committed at least so long ago: 15s, 2m, 1h, 3d"),
    ]

    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        route = try Self.text("route", arguments)
        app = try Self.text("app", arguments)
        environment = try Self.text("environment", arguments)
        if let environment, !["production", "sandbox"].contains(environment) {
            throw CommandFailure(.usage, "option --environment must be production or sandbox, not '\(environment)'")
        }
        account = try Self.text("account", arguments)
        reason = try Self.text("reason", arguments)
        device = try Self.identifier("device", arguments)
        job = try Self.identifier("job", arguments)
        entry = try Self.identifier("entry", arguments)
        owner = try Self.identifier("owner", arguments)
        includesAwaiting = arguments.has("awaiting")
        if let text = arguments.value(of: "older-than") {
            guard let duration = DurationText.parse(text) else {
                throw CommandFailure(
                    .usage, "option --older-than must be a time such as 15s, 2m, 1h or 3d, not '\(text)'")
            }
            olderThan = duration
        }
    }

    private static func text(_ name: String, _ arguments: ParsedArguments) throws(CommandFailure) -> String? {
        guard let text = arguments.value(of: name) else { return nil }
        guard !text.isEmpty else { throw CommandFailure(.usage, "option --\(name) is empty: leave it out or name one") }
        return text
    }

    private static func identifier(_ name: String, _ arguments: ParsedArguments) throws(CommandFailure) -> Identifier? {
        guard let text = arguments.value(of: name) else { return nil }
        guard let identifier = Identifier(text) else {
            throw CommandFailure(.usage, "option --\(name) must be a UUID, not '\(text)'")
        }
        return identifier
    }

    /// As the database takes it, and as the audit keeps it.
    var json: String {
        let bytes = JSONWriter.object { object in
            object.member("route", route)
            object.member("app", app)
            object.member("environment", environment)
            object.member("device", device?.description)
            object.member("account", account)
            object.member("job", job?.description)
            object.member("entry", entry?.description)
            object.member("reason", reason)
            object.member("older_than", olderThan.map { "\($0.wholeMicroseconds) microseconds" })
            object.member("owner", owner?.description)
            if includesAwaiting { object.member("awaiting", true) }
            object.member("before", committedBefore?.isoText)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// For people: `route fcm.cheqi, reason deferred 503`; empty: all.
    public var words: String {
        let parts: [(String, String?)] = [
            ("route", route), ("app", app), ("environment", environment), ("device", device?.description),
            ("account", account), ("job", job?.description), ("entry", entry?.description), ("reason", reason),
            ("older than", olderThan.map(AgeText.format)), ("owner", owner?.description),
            ("committed before", committedBefore?.utcText),
        ]
        let given = parts.compactMap { name, value in value.map { "\(name) \($0.printable)" } }
        return (given + (includesAwaiting ? ["with awaiting ones"] : [])).joined(separator: ", ")
    }
}
