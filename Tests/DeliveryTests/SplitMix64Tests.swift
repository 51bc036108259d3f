import Testing

@testable import Delivery

@Suite struct SplitMix64Tests {
    /// The first numbers that the authors' C program prints for this seed.
    @Test func `the numbers of a seed are those of the published generator`() {
        var generator = SplitMix64(seed: 1_234_567)
        let numbers = (0..<3).map { _ in generator.next() }
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
