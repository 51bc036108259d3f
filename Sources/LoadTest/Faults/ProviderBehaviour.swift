/// What the simulated providers do with the requests of a test.
public struct ProviderBehaviour: Equatable, Sendable {
    /// How long an answer takes, as the simulator's script spells it: `40`, `[10,90]`, `{"logNormal":{…}}`.
    public var latency = "0"
    /// Share of requests that go wrong in a way that a later try mends: half server errors, a third resets, the rest
    /// without an answer.
    public var faults = 0.0
    /// Share of requests whose token is no more.
    public var unregistered = 0.0
    /// Share of hints that the simulator swallows and says to have accepted.
    public var plantedLoss = 0.0
    /// Share of hints that it accepts and delivers twice.
    public var plantedDouble = 0.0

    public init() {}

    public var isPlain: Bool { self == ProviderBehaviour() }

    /// The simulator's script; chance starts at `seed`.
    func script(seed: UInt64) -> String {
        var rules: [String] = []
        // Each rule draws for those that no rule before it took.
        var left = 1.0
        func rule(_ share: Double, provider: String? = nil, _ deed: String) {
            guard share > 0, left > 0 else { return }
            let match = provider.map { #""match":{"provider":"\#($0)"},"# } ?? ""
            rules.append(
                #"{\#(match)"probability":\#(Figure.text(min(1, share / left), 9)),"do":{\#(deed)}}"#)
        }
        let late = latency == "0" ? "" : #","delayMilliseconds":\#(latency)"#
        rule(plantedLoss, #""swallow":true\#(late)"#)
        left -= plantedLoss
        rule(plantedDouble, #""twice":true\#(late)"#)
        left -= plantedDouble
        rule(faults / 2, provider: "apns", #""answer":"ServiceUnavailable"\#(late)"#)
        rule(faults / 2, provider: "fcm", #""answer":"UNAVAILABLE"\#(late)"#)
        left -= faults / 2
        rule(faults / 3, #""reset":"INTERNAL_ERROR"\#(late)"#)
        left -= faults / 3
        rule(faults / 6, #""hang":true"#)
        left -= faults / 6
        rule(unregistered, provider: "apns", #""answer":"Unregistered"\#(late)"#)
        rule(unregistered, provider: "fcm", #""answer":"UNREGISTERED"\#(late)"#)
        if !late.isEmpty { rules.append(#"{"do":{\#(late.dropFirst())}}"#) }
        return #"{"seed":\#(seed & 0x7FFF_FFFF_FFFF_FFFF),"rules":[\#(rules.joined(separator: ","))]}"#
    }

    /// `40ms`, `uniform:10ms,90ms`, `exponential:40ms`, `normal:40ms,10ms`, `lognormal:40ms,900ms` (median, p99).
    public static func latency(_ text: String) -> String? {
        let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
        let times = (halves.last ?? "").split(separator: ",").map { Figure.seconds(String($0)) }
        let all = times.compactMap { $0.map { Figure.text($0 * 1e3, 0) } }
        guard all.count == times.count, times.allSatisfy({ ($0 ?? 0) <= 600 }) else { return nil }
        switch (halves.count, halves[0], all.count) {
        case (1, _, 1): return all[0]
        case (2, "uniform", 2): return "[\(all[0]),\(all[1])]"
        case (2, "exponential", 1): return #"{"exponential":{"mean":\#(all[0])}}"#
        case (2, "normal", 2): return #"{"normal":{"mean":\#(all[0]),"deviation":\#(all[1])}}"#
        case (2, "lognormal", 2): return #"{"logNormal":{"median":\#(all[0]),"p99":\#(all[1])}}"#
        default: return nil
        }
    }
}
