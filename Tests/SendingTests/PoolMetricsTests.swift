import Daemon
import HTTP2
import Testing

@testable import Sending

struct PoolMetricsTests {
    @Test func `what a client tells is counted by pool`() {
        let metrics = Metrics()
        let numbers = PoolMetrics(metrics, pool: "team/key/production")
        for event: ClientEvent in [
            .opened, .opened, .failed("https://x: Connection refused"), .condemned, .goAway("Shutdown"),
            .goAway("too many pings!"), .answered(after: .milliseconds(3)),
        ] { numbers.observer(event) }
        let text = metrics.exposition()
        for line in [
            #"mobile_delivery_sender_connections_opened_total{pool="team/key/production"} 2"#,
            #"mobile_delivery_sender_connections_failed_total{pool="team/key/production"} 1"#,
            #"mobile_delivery_sender_connections_condemned_total{pool="team/key/production"} 1"#,
            #"mobile_delivery_sender_goaways_total{pool="team/key/production",reason="Shutdown"} 1"#,
            #"mobile_delivery_sender_goaways_total{pool="team/key/production",reason="other"} 1"#,
            #"mobile_delivery_sender_answer_seconds_bucket{pool="team/key/production",le="0.0025"} 0"#,
            #"mobile_delivery_sender_answer_seconds_bucket{pool="team/key/production",le="0.005"} 1"#,
        ] { #expect(text.contains(line + "\n"), "\(line)") }
    }

    @Test func `a client's streams and connections can be seen`() async throws {
        let identity = try CertificateAuthority().issue()
        let server = try await Server.start(ServerSettings(identity: identity)) { _ in .never }
        let client = try Client(origin: Origin(host: "localhost", port: server.port))
        let metrics = Metrics()
        PoolMetrics(metrics, pool: "p").show(client)
        let text = metrics.exposition()
        for name in ["connections", "streams_open", "streams_allowed", "requests_waiting"] {
            #expect(text.contains("mobile_delivery_sender_\(name){pool=\"p\"} 0\n"))
        }
        await client.close()
        await server.stop()
    }

    @Test(arguments: [
        ("Shutdown", "Shutdown"), ("ENHANCE_YOUR_CALM", "ENHANCE_YOUR_CALM"), ("max_age", "max_age"), ("", "other"),
        ("a b", "other"), ("a\"b", "other"), (String(repeating: "a", count: 41), "other"),
    ])
    func `only words become labels`(reason: String, label: String) {
        #expect(PoolMetrics.label(reason) == label)
    }
}
