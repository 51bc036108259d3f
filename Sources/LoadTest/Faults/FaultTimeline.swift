public import LocalStack

/// When which service is killed with -9; another takes its place soon after.
public struct FaultTimeline: Equatable, Sendable {
    public struct Strike: Equatable, Sendable, CustomStringConvertible {
        public let service: ServiceKind
        /// Seconds from the start.
        public let at: Double

        public init(_ service: ServiceKind, at: Double) {
            self.service = service
            self.at = at
        }

        public var description: String { "\(service) killed at \(Figure.text(at, 1)) s" }
    }

    public let strikes: [Strike]
    /// Seconds until a killed one is replaced.
    public var pause = 1.0

    public init(_ strikes: [Strike]) { self.strikes = strikes.sorted { $0.at < $1.at } }

    /// Each service once, at equal distances within the middle of the time.
    public static func eachOnce(within seconds: Double) -> FaultTimeline {
        let kinds = ServiceKind.allCases
        return FaultTimeline(
            kinds.enumerated().map { Strike($1, at: seconds * (0.15 + 0.7 * Double($0) / Double(kinds.count - 1))) })
    }

    /// `relay@10s,apns-sender@1m`.
    public init?(_ text: String) {
        var strikes: [Strike] = []
        for part in text.split(separator: ",") {
            let halves = part.split(separator: "@").map(String.init)
            guard halves.count == 2, let kind = ServiceKind(rawValue: halves[0]), let at = Figure.seconds(halves[1])
            else { return nil }
            strikes.append(Strike(kind, at: at))
        }
        self.init(strikes)
    }
}
