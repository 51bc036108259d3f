import AMQP
import Daemon
import TestSupport
import Testing

@testable import OutboxRelay

@Suite(.timeLimit(.minutes(1)))
struct FirstContactTests {
    private func failure(_ url: String) async -> CommandFailure? {
        do {
            let service = BrokerService(
                try AMQP.ConnectionSettings(url: url), instance: "test", metrics: Metrics())
            try await service.run()
        } catch {
            return error as? CommandFailure
        }
        return nil
    }

    @Test func `a refused login ends the process as a refused right`() async throws {
        let failure = await failure(try TestServers.amqpURL.replacing("guest:guest", with: "guest:wrong-secret"))
        #expect(failure?.status == .noPermission)
        #expect(failure?.line.contains("wrong user or password; correct AMQP_URL") == true)
        #expect(failure?.line.contains("wrong-secret") == false)
    }

    @Test func `a missing virtual host ends it as a missing part of the system`() async throws {
        let failure = await failure(try TestServers.amqpURL + "nowhere")
        #expect(failure?.status == .systemFile)
    }

    @Test func `a missing topology names what is missing and what to run`() async throws {
        try await withScratchVirtualHost(topology: false) { host in
            let failure = await failure(host.amqpURL)
            #expect(failure?.status == .systemFile)
            #expect(failure?.line.contains("exchange hints is missing") == true)
            #expect(failure?.line.contains("topology apply") == true)
        }
    }
}
