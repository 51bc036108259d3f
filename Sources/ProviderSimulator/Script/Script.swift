/// The rules in force, in order: the first that fits decides.
public struct Script: Hashable, Sendable {
    public var rules: [Rule]

    public init(_ rules: [Rule] = []) { self.rules = rules }

    /// The action for this request, counted. `chance` draws from 0 to 1.
    mutating func action(for request: ProviderRequest, token: String?, chance: () -> Double) -> Action? {
        for index in rules.indices {
            guard rules[index].match.fits(request, token: token) else { continue }
            if let times = rules[index].times, rules[index].used >= times { continue }
            rules[index].seen += 1
            if rules[index].seen <= rules[index].after { continue }
            if rules[index].probability < 1, chance() >= rules[index].probability { continue }
            rules[index].used += 1
            return rules[index].action
        }
        return nil
    }
}
