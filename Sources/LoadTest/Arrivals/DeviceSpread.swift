import Delivery

/// How many devices the accounts of a test have, and so how many hints a job makes.
public enum DeviceSpread: Equatable, Sendable, CustomStringConvertible {
    case fixed(Int)
    /// From 1 to `most`; n devices have the weight n to the power of minus `exponent`.
    case zipf(exponent: Double, most: Int)

    /// A commit takes at most 32.
    static let most = 32

    /// One number an account, in an order that the seed decides. Not drawn one by one: also a few accounts have the
    /// distribution as nearly as their number allows.
    func counts(accounts: Int, seed: UInt64) -> [Int] {
        var random = SplitMix64(seed: seed)
        switch self {
        case .fixed(let count): return Array(repeating: count, count: accounts)
        case .zipf(let exponent, let most):
            let weights = Skew(exponent: exponent).weights(of: most)
            let all = weights.reduce(0, +)
            return (0..<accounts).map { account in
                var left = (Double(account) + 0.5) / Double(accounts) * all
                for (index, weight) in weights.enumerated() {
                    left -= weight
                    if left < 0 { return index + 1 }
                }
                return most
            }.shuffled(using: &random)
        }
    }

    /// `2`, or `zipf:1.2,8`.
    public init?(_ text: String) {
        let halves = text.split(separator: ":").map(String.init)
        if halves.count == 1, let count = Int(text), (1...Self.most).contains(count) {
            self = .fixed(count)
            return
        }
        let words = halves.last?.split(separator: ",").map(String.init) ?? []
        guard halves.count == 2, halves[0] == "zipf", words.count == 2, let exponent = Double(words[0]),
            let most = Int(words[1]), (0...10).contains(exponent), (1...Self.most).contains(most)
        else { return nil }
        self = .zipf(exponent: exponent, most: most)
    }

    public var description: String {
        switch self {
        case .fixed(let count): "\(count)"
        case .zipf(let exponent, let most): "zipf \(Figure.text(exponent)) up to \(most)"
        }
    }
}
