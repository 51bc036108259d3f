import Delivery

/// The rules in force, in order: the first that fits decides.
public struct Script: Hashable, Sendable {
    public var rules: [Rule]
    /// Where chance starts; without it every run is another.
    public let seed: UInt64?
    private var generator: SplitMix64

    public init(_ rules: [Rule] = [], seed: UInt64? = nil) {
        self.rules = rules
        self.seed = seed
        generator = SplitMix64(seed: seed ?? UInt64.random(in: .min ... .max))
    }

    /// The action for this request, counted.
    mutating func action(for request: ProviderRequest, token: String?) -> Action? {
        for index in rules.indices {
            guard rules[index].match.fits(request, token: token) else { continue }
            if let times = rules[index].times, rules[index].used >= times { continue }
            rules[index].seen += 1
            if rules[index].seen <= rules[index].after { continue }
            if rules[index].probability < 1,
                Double.random(in: 0..<1, using: &generator) >= rules[index].probability
            {
                continue
            }
            rules[index].used += 1
            return rules[index].action
        }
        return nil
    }

    mutating func draw(_ delay: Delay) -> Int64 { delay.draw(&generator) }
}
