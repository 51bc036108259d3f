/// How the rate of new jobs goes over the time of a test. Rates are jobs a second.
public enum ArrivalShape: Equatable, Sendable {
    case constant(Double)
    case ramp(from: Double, to: Double)
    /// Each for an equal part of the time.
    case steps([Double])
    /// The base rate, and every so often so many jobs at one instant.
    case bursts(base: Double, jobs: Int, every: Double)
    /// A constant rate; in the middle third pushes reach no phone, and then every owner opens the app at once.
    case foreground(Double)

    /// At the share `progress` of the time, from 0 to 1.
    func rate(at progress: Double) -> Double {
        switch self {
        case .constant(let rate), .foreground(let rate): rate
        case .ramp(let from, let to): from + (to - from) * progress
        case .steps(let rates): rates[min(rates.count - 1, Int(progress * Double(rates.count)))]
        case .bursts(let base, _, _): base
        }
    }

    /// Of the whole time.
    public var highest: Double {
        switch self {
        case .constant(let rate), .foreground(let rate): rate
        case .ramp(let from, let to): max(from, to)
        case .steps(let rates): rates.max() ?? 0
        case .bursts(let base, let jobs, let every): base + Double(jobs) / every
        }
    }

    /// Seconds from the start at which jobs arrive, in order.
    ///
    /// `isEven`: at equal distances, else as independent producers do, with exponential gaps.
    func times(for seconds: Double, isEven: Bool, using random: inout some RandomNumberGenerator) -> [Double] {
        let step = 0.001
        var times: [Double] = []
        var done = 0.0
        var next = Self.gap(isEven, &random)
        for tick in 0..<Int((seconds / step).rounded()) {
            let start = Double(tick) * step
            let arriving = max(0, rate(at: start / seconds)) * step
            while done + arriving >= next {
                times.append(start + step * (next - done) / arriving)
                next += Self.gap(isEven, &random)
            }
            done += arriving
        }
        guard case .bursts(_, let jobs, let every) = self else { return times }
        let instants = stride(from: every, to: seconds, by: every)
        return (times + instants.flatMap { Array(repeating: $0, count: jobs) }).sorted()
    }

    private static func gap(_ isEven: Bool, _ random: inout some RandomNumberGenerator) -> Double {
        isEven ? 1 : -logarithm(1 - Double.random(in: 0..<1, using: &random))
    }
}

extension ArrivalShape: CustomStringConvertible {
    public var description: String {
        switch self {
        case .constant(let rate): "\(Figure.text(rate)) jobs/s"
        case .ramp(let from, let to): "\(Figure.text(from)) to \(Figure.text(to)) jobs/s"
        case .steps(let rates): rates.map { Figure.text($0) }.joined(separator: ", ") + " jobs/s"
        case .bursts(let base, let jobs, let every):
            "\(Figure.text(base)) jobs/s and \(jobs) at once every \(Figure.text(every)) s"
        case .foreground(let rate): "\(Figure.text(rate)) jobs/s, mass foreground after an outage"
        }
    }

    /// `100`, `ramp:10,500`, `steps:100,200,400`, `bursts:50,1000,10s`, `foreground:100`.
    public init?(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
        let words = (halves.last ?? "").split(separator: ",").map(String.init)
        let rates = words.compactMap(Double.init).filter { $0 >= 0 && $0 <= 1_000_000 }
        switch (halves.count, halves.first, words.count) {
        case (1, _, 1) where rates.count == 1: self = .constant(rates[0])
        case (2, "constant", 1) where rates.count == 1: self = .constant(rates[0])
        case (2, "foreground", 1) where rates.count == 1: self = .foreground(rates[0])
        case (2, "ramp", 2) where rates.count == 2: self = .ramp(from: rates[0], to: rates[1])
        case (2, "steps", 1...) where rates.count == words.count: self = .steps(rates)
        case (2, "bursts", 3):
            guard let base = Double(words[0]), let jobs = Int(words[1]), let every = Figure.seconds(words[2]),
                (0...1_000_000).contains(base), (1...1_000_000).contains(jobs), every >= 0.1
            else { return nil }
            self = .bursts(base: base, jobs: jobs, every: every)
        default: return nil
        }
    }
}
