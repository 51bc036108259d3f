import Delivery

/// One job that is to be committed, whatever became of those before it.
struct Arrival: Equatable, Sendable {
    let job: Identifier
    /// Microseconds from the start.
    let at: Int64
    /// Index into the accounts of the test.
    let account: Int

    /// Every arrival of a test. The same seed gives the same instants, accounts and ids; each of the three draws from a
    /// generator of its own, so that a change of one leaves the others alone.
    static func all(
        _ shape: ArrivalShape, seconds: Double, isEven: Bool, skew: Skew, accounts: Int, seed: UInt64
    ) -> [Arrival] {
        var clock = SplitMix64(seed: seed)
        var choice = SplitMix64(seed: seed ^ 0xA11C_E5ED)
        var names = SplitMix64(seed: seed ^ 0x1D5)
        let picker = skew.picker(of: accounts)
        return shape.times(for: seconds, isEven: isEven, using: &clock).map { time in
            Arrival(
                job: .random(using: &names), at: Int64(time * 1e6), account: picker.pick(using: &choice))
        }
    }
}
