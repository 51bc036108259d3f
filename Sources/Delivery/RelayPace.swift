/// How long the relay sleeps between looks at the outbox: 10 ms while something was found in the last second, 50 ms when
/// idle, a fifth more or less.
public struct RelayPace: Equatable, Sendable {
    public var busy: Duration = .milliseconds(10)
    public var idle: Duration = .milliseconds(50)
    public var busyFor: Duration = .seconds(1)

    public init() {}

    /// `random` in 0 ..< 1.
    public func pause(sinceFound: Duration?, random: Double) -> Duration {
        let base = sinceFound.map { $0 < busyFor ? busy : idle } ?? idle
        return base * (0.8 + 0.4 * random)
    }
}
