public import Daemon
public import Delivery
import Messages
import Operations
public import Postgres

/// Which open dead letters a command is about; all that is given must hold. The keys are those of
/// `delivery.matching_letters`.
public struct DeadLetterFilter: Equatable, Sendable {
    public var id: Int64?
    public var queue: String?
    /// Its beginning.
    public var reason: String?
    public var app: String?
    public var environment: String?
    public var device: Identifier?
    public var job: Identifier?
    /// Recorded in this stretch.
    public var since: Timestamp?
    public var until: Timestamp?
    /// Charged failures at least.
    public var failures: Int?
    /// Letters of ordinary uninstalls: only they (true), all but they (false), or both (nil).
    public var isUninstall: Bool?

    public init() {}

    public static let options: [CommandOption] = [
        .value("id", "ID", "this one"),
        .value("queue", "QUEUE", "in this dead-letter queue, or outbox for what the relay buried"),
        .value("reason", "TEXT", "whose reason begins with it"),
        .value("app", "APP", "of this app"),
        .value("environment", "ENVIRONMENT", "production or sandbox"),
        .value("device", "ID", "for this device"),
        .value("job", "ID", "of this job"),
        .value("since", "INSTANT", "recorded since then, such as 2026-12-01T03:00:00Z"),
        .value("until", "INSTANT", "recorded before then"),
        .value("failures", "N", "with at least so many charged failures"),
        .flag("uninstalled", "only those of ordinary uninstalls, which are left out otherwise"),
    ]

    /// Throws one line that says what an option must be.
    public init(_ arguments: ParsedArguments) throws(CommandFailure) {
        if let text = arguments.value(of: "id") {
            guard let number = Int64(text), number > 0 else {
                throw CommandFailure(.usage, "option --id must be a number such as 17, not '\(text)'")
            }
            id = number
        }
        queue = arguments.value(of: "queue")
        reason = arguments.value(of: "reason")
        app = arguments.value(of: "app")
        environment = arguments.value(of: "environment")
        if let environment, !["production", "sandbox"].contains(environment) {
            throw CommandFailure(.usage, "option --environment must be production or sandbox, not '\(environment)'")
        }
        device = try Self.identifier("device", arguments)
        job = try Self.identifier("job", arguments)
        since = try Self.instant("since", arguments)
        until = try Self.instant("until", arguments)
        if arguments.has("failures") { failures = try arguments.integer("failures", default: 1, in: 0...1_000_000) }
        // Who names a letter or a reason means it.
        isUninstall = arguments.has("uninstalled") ? true : reason == nil && id == nil ? false : nil
    }

    private static func identifier(_ name: String, _ arguments: ParsedArguments) throws(CommandFailure) -> Identifier? {
        guard let text = arguments.value(of: name) else { return nil }
        guard let identifier = Identifier(text) else {
            throw CommandFailure(.usage, "option --\(name) must be a UUID, not '\(text)'")
        }
        return identifier
    }

    private static func instant(_ name: String, _ arguments: ParsedArguments) throws(CommandFailure) -> Timestamp? {
        guard let text = arguments.value(of: name) else { return nil }
        guard let instant = InstantText.parse(text) else {
            throw CommandFailure(
                .usage, "option --\(name) must be an instant with its zone such as 2026-12-01T03:00:00Z, not '\(text)'")
        }
        return instant
    }

    /// As the database takes it, and as the audit keeps it.
    var json: String {
        let bytes = JSONWriter.object { object in
            object.member("id", id.map { "\($0)" })
            object.member("queue", queue)
            object.member("reason", reason)
            object.member("app", app)
            object.member("environment", environment)
            object.member("device", device?.description)
            object.member("job", job?.description)
            object.member("since", since?.isoText)
            object.member("until", until?.isoText)
            object.member("failures", failures.map { "\($0)" })
            if let isUninstall { object.member("uninstalled", isUninstall) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// For people: `reason faulty_request, app cheqi`; empty: all.
    public var words: String {
        let parts: [(String, String?)] = [
            ("letter", id.map { "\($0)" }), ("queue", queue), ("reason", reason), ("app", app),
            ("environment", environment), ("device", device?.description), ("job", job?.description),
            ("since", since?.utcText), ("until", until?.utcText), ("failures from", failures.map { "\($0)" }),
        ]
        let given = parts.compactMap { name, value in value.map { "\(name) \($0.printable)" } }
        return (given + (isUninstall == true ? ["of uninstalls"] : [])).joined(separator: ", ")
    }
}
