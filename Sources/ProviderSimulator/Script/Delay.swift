import Glibc

/// How long something takes: a number, or a draw from a distribution. Milliseconds.
public enum Delay: Hashable, Sendable {
    case uniform(ClosedRange<Int64>)
    case normal(mean: Double, deviation: Double)
    case exponential(mean: Double)
    /// As latencies mostly are: half of them below `median`, one of a hundred above `p99`.
    case logNormal(median: Double, p99: Double)

    /// Nothing takes longer than ten minutes, nor less than nothing.
    static let longest: Int64 = 600_000

    func draw(_ random: inout some RandomNumberGenerator) -> Int64 {
        let drawn: Double
        switch self {
        case .uniform(let range): return Int64.random(in: range, using: &random)
        case .normal(let mean, let deviation): drawn = mean + deviation * Self.standard(&random)
        case .exponential(let mean): drawn = -mean * log(1 - Double.random(in: 0..<1, using: &random))
        case .logNormal(let median, let p99):
            // 2.326: one of a hundred standard normal draws is above.
            drawn = median * exp(log(p99 / median) / 2.326_347_874 * Self.standard(&random))
        }
        return min(Self.longest, max(0, Int64(drawn.rounded())))
    }

    /// A standard normal draw (Box and Muller).
    private static func standard(_ random: inout some RandomNumberGenerator) -> Double {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
}

extension Delay {
    init(_ value: JSONValue, at place: String) throws(ScriptError) {
        let form =
            "\(place) must be milliseconds (0 to \(Self.longest)), [least, most], {\"normal\":{\"mean\":…,\"deviation\":…}}, "
            + "{\"exponential\":{\"mean\":…}} or {\"logNormal\":{\"median\":…,\"p99\":…}}"
        func isTime(_ number: Double?) -> Bool { number.map { (0...Double(Self.longest)).contains($0) } ?? false }
        if let fixed = value.integer, isTime(value.number) {
            self = .uniform(fixed...fixed)
        } else if let bounds = value.array, bounds.count == 2, let low = bounds[0].integer,
            let high = bounds[1].integer,
            isTime(bounds[0].number), isTime(bounds[1].number), low <= high
        {
            self = .uniform(low...high)
        } else if let members = value.members, members.count == 1 {
            func number(_ name: String) -> Double? { members[0].value[name]?.number }
            guard members[0].value.members?.count == (members[0].key == "exponential" ? 1 : 2) else {
                throw ScriptError(form)
            }
            switch (members[0].key, number("mean"), number("deviation"), number("median"), number("p99")) {
            case ("normal", let mean?, let deviation?, nil, nil) where isTime(mean) && isTime(deviation):
                self = .normal(mean: mean, deviation: deviation)
            case ("exponential", let mean?, nil, nil, nil) where isTime(mean): self = .exponential(mean: mean)
            case ("logNormal", nil, nil, let median?, let p99?) where isTime(p99) && 0 < median && median <= p99:
                self = .logNormal(median: median, p99: p99)
            default: throw ScriptError(form)
            }
        } else {
            throw ScriptError(form)
        }
    }
}
