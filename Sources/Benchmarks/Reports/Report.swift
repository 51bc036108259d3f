public import Messages

/// What a benchmark measured, beside what it was compared with in the same run.
///
/// Machines differ and are noisy, so figures are ratios: `rounds` alternate between the thing and its baseline, each round
/// has a ratio, and the median of those counts.
public struct Report: Equatable, Sendable {
    /// One measurement of the thing and one of its baseline, right after each other.
    public struct Round: Equatable, Sendable {
        public let value: Double
        public let baseline: Double
        public var ratio: Double { value / baseline }

        public init(value: Double, baseline: Double) {
            self.value = value
            self.baseline = baseline
        }
    }

    /// What the ratio has to be.
    public enum Goal: Equatable, Sendable {
        case atLeast(Double)
        case atMost(Double)

        func isMet(by ratio: Double) -> Bool {
            switch self {
            case .atLeast(let least): ratio >= least
            case .atMost(let most): ratio <= most
            }
        }
    }

    public struct Percentiles: Equatable, Sendable {
        public let p50: Double
        public let p99: Double

        public init(p50: Double, p99: Double) {
            self.p50 = p50
            self.p99 = p99
        }
    }

    /// One thing told beside the figures: a setting, a version, a detail.
    public struct Fact: Equatable, Sendable {
        public let name: String
        public let value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    public let benchmark: String
    /// What is divided by what, in words.
    public let compares: String
    /// Of the values: `messages/s`, `µs`.
    public let unit: String
    public var goal: Goal?
    public var rounds: [Round]
    public var percentiles: Percentiles?
    public var baselinePercentiles: Percentiles?
    /// Other figures of the same run, each with a baseline and a goal of its own.
    public var also: [Report] = []
    public var details: [Fact] = []
    public var settings: [Fact] = []
    public var versions: [Fact] = []

    public init(_ benchmark: String, compares: String, unit: String, goal: Goal? = nil, rounds: [Round]) {
        self.benchmark = benchmark
        self.compares = compares
        self.unit = unit
        self.goal = goal
        self.rounds = rounds
    }

    public var value: Double { Statistics.median(rounds.map(\.value)) }
    public var baseline: Double { Statistics.median(rounds.map(\.baseline)) }
    /// The median of the rounds' ratios, not the ratio of the medians: what slows the machine for a while slows both halves
    /// of a round.
    public var ratio: Double { Statistics.median(rounds.map(\.ratio)) }
    /// Nil if no goal is set.
    public var isMet: Bool? { goal.map { $0.isMet(by: ratio) } }
}
