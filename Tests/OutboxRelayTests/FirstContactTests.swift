import AMQP
import Daemon
import TestSupport
import Testing

@testable import OutboxRelay

@Suite(.timeLimit(.minutes(3)))
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

    /// The broker of the tests with another password or virtual host.
    private func url(password: String?, virtualHost: String) throws -> String {
        let broker = try AMQP.ConnectionSettings(url: TestServers.amqpURL)
        return "amqp://\(broker.user):\(password ?? broker.password)@\(broker.addresses[0])/\(virtualHost)"
    }

    @Test func `a refused login ends the process as a refused right`() async throws {
        let failure = await failure(try url(password: "wrong-secret", virtualHost: "%2F"))
        #expect(failure?.status == .noPermission)
        #expect(failure?.line.contains("wrong user or password; correct AMQP_URL") == true)
        #expect(failure?.line.contains("wrong-secret") == false)
    }

    @Test func `a missing virtual host ends it as a missing part of the system`() async throws {
        let failure = await failure(try url(password: nil, virtualHost: "nowhere"))
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
