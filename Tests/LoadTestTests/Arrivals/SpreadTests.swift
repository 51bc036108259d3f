import Delivery
import Testing

@testable import LoadTest

@Suite struct SpreadTests {
    @Test func `zipf has mostly small accounts, and some of the largest size`() {
        let counts = DeviceSpread.zipf(exponent: 1, most: 8).counts(accounts: 100, seed: 4)
        let ones = counts.count { $0 == 1 }
        #expect((35...38).contains(ones), "\(ones)")
        #expect(counts.max() == 8)
        #expect(counts == DeviceSpread.zipf(exponent: 1, most: 8).counts(accounts: 100, seed: 4))
        #expect(counts != counts.sorted())
    }

    @Test(arguments: ["0", "33", "zipf:1", "zipf:1,33", "zipf:-1,3", "two", ""])
    func `what is no spread is refused`(_ text: String) { #expect(DeviceSpread(text) == nil) }

    @Test func `routes come as often as their weights say`() throws {
        let mix = try #require(RouteMix("apns-production=45,apns-sandbox=5,fcm=50"))
        var random = SplitMix64(seed: 1)
        let routes = mix.routes(of: 200, using: &random)
        #expect(routes.count { $0.provider == .fcm } == 100)
        #expect(routes.count { $0.environment == "sandbox" } == 10)
        #expect(routes.count { $0.environment == "production" } == 90)
    }

    @Test(arguments: ["", "apns=1", "fcm", "fcm=0", "fcm=x", "fcm=1,unknown=2"])
    func `what is no mix is refused`(_ text: String) { #expect(RouteMix(text) == nil) }

    @Test func `provider faults that are shares of all requests are drawn one after the other`() throws {
        var behaviour = ProviderBehaviour()
        behaviour.faults = 0.3
        behaviour.plantedLoss = 0.5
        // Half are swallowed; 15 % of all are 30 % of the rest; 10 % of all are 10 of the 35 % left.
        let script = behaviour.script(seed: 9)
        #expect(script.contains(#""probability":0.5,"do":{"swallow":true}"#))
        #expect(script.contains(#""match":{"provider":"apns"},"probability":0.3,"do":{"answer":"ServiceUnavailable"}"#))
        #expect(script.contains(#""probability":0.285714286,"do":{"reset":"INTERNAL_ERROR"}"#))
        #expect(script.hasPrefix(#"{"seed":9,"#))
    }
}
