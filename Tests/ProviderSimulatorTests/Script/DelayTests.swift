import Delivery
import Testing

@testable import ProviderSimulator

struct DelayTests {
    private func delay(_ text: String) throws -> Delay { try Delay(.of(text), at: "delay") }

    private func draws(_ text: String, _ count: Int = 4000) throws -> [Int64] {
        let delay = try delay(text)
        var random = SplitMix64(seed: 1)
        return (0..<count).map { _ in delay.draw(&random) }.sorted()
    }

    @Test func `a number is always that number`() throws { #expect(Set(try draws("30")) == [30]) }

    @Test func `two numbers are least and most`() throws {
        #expect(Set(try draws("[3,6]")) == [3, 4, 5, 6])
    }

    /// Median and 99th percentile of the distribution, known from its formula.
    @Test(arguments: [
        (#"{"normal":{"mean":1000,"deviation":100}}"#, 1000.0, 1233.0),
        (#"{"exponential":{"mean":1000}}"#, 693.0, 4605.0),
        (#"{"logNormal":{"median":100,"p99":900}}"#, 100.0, 900.0),
    ])
    func `a distribution has its median and its tail`(text: String, median: Double, tail: Double) throws {
        let drawn = try draws(text)
        #expect(abs(Double(drawn[2000]) / median - 1) < 0.06)
        #expect(abs(Double(drawn[3960]) / tail - 1) < 0.2)
    }

    @Test func `nothing takes less than no time or more than ten minutes`() throws {
        #expect(try draws(#"{"normal":{"mean":0,"deviation":1000}}"#).first == 0)
        #expect(try draws(#"{"exponential":{"mean":600000}}"#).last == 600_000)
    }

    @Test(arguments: [
        "-1", "600001", "[1]", "[2,1]", #""5""#, "{}", #"{"normal":{"mean":1}}"#, #"{"exponential":{"mean":1,"x":2}}"#,
        #"{"logNormal":{"median":5,"p99":4}}"#, #"{"pareto":{"mean":1}}"#,
    ])
    func `anything else is refused with the forms that are known`(text: String) {
        let error = #expect(throws: ScriptError.self) { try delay(text) }
        #expect(error?.description.hasPrefix("delay must be milliseconds (0 to 600000), [least, most], ") == true)
    }
}
