/// How long to wait before the next attempt to connect.
///
/// | failed attempts in a row | 1 | 2 | 3 | 4 | … | 8 and more |
/// |---|---|---|---|---|---|---|
/// | seconds, without jitter | 0.1 | 0.2 | 0.4 | 0.8 | … | 10 |
public struct ReconnectDelay: Equatable, Sendable {
    public var base: Duration
    public var cap: Duration

    public init(base: Duration = .milliseconds(100), cap: Duration = .seconds(10)) {
        self.base = base
        self.cap = cap
    }

    /// `random` in 0 ..< 1 takes off up to half, so that many processes don't come back at once.
    public func delay(afterFailures failures: Int, random: Double) -> Duration {
        let doubled = base * (1 << min(max(0, failures - 1), 20))
        return min(cap, doubled) * (1 - random / 2)
    }
}

/// What a self-healing connection tells whoever watches it: for logs, metrics and readiness.
public enum LinkEvent: Equatable, Sendable {
    case connected(ConnectionSettings.Address)
    /// The connection ended or could not be made; the next attempt comes after `retryIn`.
    case lost(AMQPError, retryIn: Duration)
}
