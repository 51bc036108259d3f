import Glibc
import TestSupport
import Testing

@testable import ProviderSimulator

/// What people have at hand: `curl` and `h2load`.
@Suite(.timeLimit(.minutes(4)))
struct CommandLineClientTests {
    private let body = #"{"aps":{"alert":"x"}}"#

    /// As options, of a push that is accepted.
    private func options() throws -> String {
        let token = try Bench.sharedToken(issuedAt: WallClock.now / 1000 / 3000 * 3000)
        return """
            -H 'authorization: bearer \(token)' -H 'apns-topic: \(Bench.topic)' -H 'apns-push-type: alert'
            """
    }

    @Test(arguments: [
        (Bench.apnsToken, " 2 200"), (String(repeating: "0", count: 64), #"{"reason":"BadDeviceToken"} 2 400"#),
    ])
    func `curl is answered over HTTP 2`(_ token: String, _ expected: String) async throws {
        let rig = try await SimulatorRig.start()
        let authority = ScratchFile(rig.authorityPEM)
        let said = try await ShellCommand.output(
            of: """
                curl -s --http2 --max-time 60 --cacert \(authority.path) \(try options()) -d '\(body)' \
                -w ' %{http_version} %{http_code}' \(rig.providers.addresses.apnsProduction)/3/device/\(token)
                """)
        #expect(said == expected)
        await rig.stop()
    }

    @Test(arguments: [1, 4]) func `h2load finds no failed request`(connections: Int) async throws {
        // It opens all its streams at once instead of waiting for an accepted token.
        let rig = try await SimulatorRig.start { $0.apnsFirstStreams = $0.apnsStreams }
        let payload = ScratchFile(body)
        let said = try await ShellCommand.output(
            of: """
                h2load -n 2000 -c \(connections) -m 50 \(try options()) -d \(payload.path) \
                \(rig.providers.addresses.apnsProduction)/3/device/\(Bench.apnsToken) 2>&1
                """)
        #expect(said.contains("2000 succeeded, 0 failed, 0 errored"), "\(said)")
        #expect(said.contains("status codes: 2000 2xx"), "\(said)")
        #expect(rig.providers.deliveryCount == 2000)
        await rig.stop()
    }
}
