/// How unequally jobs fall to accounts: the weight of the n-th is n to the power of minus `exponent`. 0 treats all alike.
public struct Skew: Equatable, Sendable {
    public let exponent: Double

    public init(exponent: Double) { self.exponent = exponent }

    /// Draws indices by weight.
    struct Picker: Sendable {
        private let sums: [Double]

        init(weights: [Double]) {
            var sum = 0.0
            sums = weights.map { weight in
                sum += weight
                return sum
            }
        }

        func pick(using random: inout some RandomNumberGenerator) -> Int {
            let point = Double.random(in: 0..<(sums.last ?? 1), using: &random)
            var low = 0
            var high = sums.count - 1
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > point { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    func picker(of count: Int) -> Picker { Picker(weights: weights(of: count)) }

    func weights(of count: Int) -> [Double] { (1...max(1, count)).map { power(Double($0), -exponent) } }
}
