import Synchronization

/// Whether a process can do its work: every named condition must hold. What does not hold says what it waits for.
public final class Readiness: Sendable {
    /// One condition, set by whoever knows.
    public struct Condition: Sendable {
        public let name: String
        fileprivate let owner: Readiness

        public func ready() { owner.set(name, reason: nil) }

        /// `reason` is shown to operators: "waiting for PostgreSQL".
        public func notReady(_ reason: String) { owner.set(name, reason: reason) }
    }

    private let reasons = Mutex<[String: String?]>([:])

    public init() {}

    /// Not ready until somebody says so.
    public func condition(_ name: String, waitingFor reason: String) -> Condition {
        reasons.withLock { $0[name] = .some(reason) }
        return Condition(name: name, owner: self)
    }

    /// What is missing, by condition; empty = ready.
    public var missing: [String: String] { reasons.withLock { $0.compactMapValues { $0 } } }

    public var isReady: Bool { missing.isEmpty }

    private func set(_ name: String, reason: String?) {
        let changed = reasons.withLock { reasons in
            defer { reasons[name] = .some(reason) }
            return reasons[name] != .some(reason)
        }
        guard changed else { return }
        if let reason {
            Log.warning("not ready", [.condition: .string(name), .waitingFor: .string(reason)])
        } else {
            Log.info("ready", [.condition: .string(name)])
        }
    }
}

extension LogKey {
    static let condition: LogKey = "condition"
}
