import Daemon
import HTTP2
import Testing

@testable import Sending

struct ProviderProxyTests {
    private let apns = Origin(host: "api.push.apple.com")

    @Test(arguments: [
        (["HTTPS_PROXY": "http://p:3128"], "http://p:3128"), (["https_proxy": "http://p:3128"], "http://p:3128"),
        (["HTTPS_PROXY": "http://p:1", "https_proxy": "http://q:2"], "http://p:1"), ([:], nil),
        (["HTTPS_PROXY": "http://p:3128", "NO_PROXY": "push.apple.com"], nil),
        (["https_proxy": "http://p:3128", "no_proxy": "*"], nil), (["HTTP_PROXY": "http://p:3128"], nil),
    ])
    func `the environment names the proxy`(environment: [String: String], proxy: String?) throws {
        let reader = EnvironmentReader(environment)
        let found = ProviderProxy(reader).proxy(for: apns)?.description
        try reader.finish()
        #expect(found == proxy)
    }

    @Test func `name and password reach the other library, too`() throws {
        let reader = EnvironmentReader(["HTTPS_PROXY": "http://anna:s%40fe@p:3128", "NO_PROXY": "elsewhere.example"])
        let proxy = ProviderProxy(reader)
        try reader.finish()
        #expect(proxy.address(for: "https://oauth2.googleapis.com/token") == "http://anna:s%40fe@p:3128")
        #expect(proxy.address(for: "https://elsewhere.example/token") == nil)
        #expect(proxy.proxy(for: apns)?.credentials == "anna:s@fe")
    }

    @Test func `a wrong proxy is told without its password`() {
        let reader = EnvironmentReader(["HTTPS_PROXY": "https://anna:secret@p:3128"])
        _ = ProviderProxy(reader)
        let failure = #expect(throws: CommandFailure.self) { try reader.finish() }
        #expect(failure?.line.contains("HTTPS_PROXY must be the address of an HTTP proxy") == true)
        #expect(failure?.line.contains("secret") == false)
    }

    @Test func `every time of a pool is a setting`() throws {
        let reader = EnvironmentReader([
            "MOBILE_DELIVERY_APNS_CONNECTIONS": "7", "MOBILE_DELIVERY_APNS_CONNECT_TIMEOUT": "3s",
            "MOBILE_DELIVERY_APNS_CONNECT_STAGGER": "100ms", "MOBILE_DELIVERY_APNS_RECONNECT_FIRST": "200ms",
            "MOBILE_DELIVERY_APNS_RECONNECT_LONGEST": "20s", "MOBILE_DELIVERY_APNS_STEADY_AFTER": "9s",
            "MOBILE_DELIVERY_APNS_CANCELLATION_CHECK": "20ms", "MOBILE_DELIVERY_APNS_PING_AFTER_IDLE": "30s",
            "MOBILE_DELIVERY_APNS_PING_TIMEOUT": "5s",
            "MOBILE_DELIVERY_PROVIDER_CA_FILE": "/ca.pem", "MOBILE_DELIVERY_FCM_CLOSE_AFTER_IDLE": "1m",
            "MOBILE_DELIVERY_FCM_CONNECTION_AGE": "10m", "MOBILE_DELIVERY_FCM_CONNECTION_AGE_JITTER": "30s",
        ])
        let apns = ClientSettings(reader, provider: "APNS", defaults: .apns)
        let fcm = ClientSettings(reader, provider: "FCM", defaults: .fcm)
        try reader.finish()
        var expected = ClientSettings.apns
        expected.connections = 7
        expected.connectTimeout = .seconds(3)
        expected.connectStagger = .milliseconds(100)
        expected.reconnectFirst = .milliseconds(200)
        expected.reconnectLongest = .seconds(20)
        expected.steadyAfter = .seconds(9)
        expected.cancellationCheck = .milliseconds(20)
        expected.upkeep.pingAfterIdle = .seconds(30)
        expected.upkeep.pingTimeout = .seconds(5)
        expected.trust = .file("/ca.pem")
        #expect(apns == expected)
        #expect(fcm.upkeep.closeAfterIdle == .seconds(60))
        #expect(fcm.upkeep.maximumAge == .seconds(600))
        #expect(fcm.upkeep.ageJitter == .seconds(30))
        // FCM ends connections that ping.
        #expect(fcm.upkeep.pingAfterIdle == nil)
    }
}
