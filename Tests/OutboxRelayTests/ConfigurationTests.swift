import Daemon
import Delivery
import Testing

@testable import OutboxRelay

@Suite struct ConfigurationTests {
    @Test func `settings override the defaults`() throws {
        let reader = EnvironmentReader([
            "MOBILE_DELIVERY_HINT_LEASE": "6s", "MOBILE_DELIVERY_RELAY_WINDOW": "7",
            "MOBILE_DELIVERY_RELAY_POLL_BUSY": "5ms",
        ])
        let configuration = Configuration(reader)
        try reader.finish()
        #expect(configuration.lease == .seconds(6) && configuration.window == 7)
        #expect(configuration.pace.busy == .milliseconds(5) && configuration.pace.idle == .milliseconds(50))
        #expect(configuration.buryAfter == 8 && configuration.silentAfter == 10)
    }

    @Test(arguments: [("2m", 30.0), ("6s", 1.5), ("2s", 1.0)])
    func `a queue is filled by what leaves it in a quarter of the lease`(lease: String, seconds: Double) throws {
        let configuration = Configuration(EnvironmentReader(["MOBILE_DELIVERY_HINT_LEASE": lease]))
        #expect(configuration.flow.memory == .seconds(seconds))
    }

    @Test func `every wrong setting is reported`() {
        let reader = EnvironmentReader([
            "MOBILE_DELIVERY_HINT_LEASE": "soon", "MOBILE_DELIVERY_RELAY_WINDOW": "0",
        ])
        _ = Configuration(reader)
        let failure = #expect(throws: CommandFailure.self) { try reader.finish() }
        #expect(failure?.line.contains("HINT_LEASE") == true && failure?.line.contains("RELAY_WINDOW") == true)
    }
}
