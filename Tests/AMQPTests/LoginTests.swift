import AMQP
import Glibc
import LocalStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoginTests {
    private func failure(_ change: (inout ConnectionSettings) -> Void) async throws -> AMQPError {
        var settings = try Broker.settings()
        // A starved broker takes its time to refuse.
        settings.connectTimeout = .seconds(20)
        change(&settings)
        do {
            await (try Connection.open(settings, name: "amqp-tests")).close()
        } catch {
            return error
        }
        throw Unexpected()
    }

    struct Unexpected: Error {}

    @Test func `a wrong password is told in one line without it`() async throws {
        let error = try await failure { $0.password = "wrong-secret" }
        #expect(error.kind == .wrongPassword)
        #expect(error.description.contains(" refused user \""))
        #expect(error.description.hasSuffix("\": wrong user or password"))
        #expect(!error.description.contains("wrong-secret"))
    }

    @Test func `a missing virtual host is named`() async throws {
        let error = try await failure { $0.virtualHost = "nowhere" }
        #expect(error.kind == .missingVirtualHost)
        #expect(error.description.contains("no virtual host \"nowhere\""))
    }

    @Test func `a port where nobody listens is unreachable`() async throws {
        let error = try await failure { $0.addresses = [.init(host: "127.0.0.1", port: 1)] }
        #expect(error.kind == .unreachable)
        #expect(error.description.contains("127.0.0.1:1"))
    }

    @Test func `a host without an address is unreachable`() async throws {
        let error = try await failure { $0.addresses = [.init(host: "nowhere.invalid", port: 5672)] }
        #expect(error.kind == .unreachable)
    }

    @Test func `the second address is tried when the first is dead`() async throws {
        var settings = try Broker.settings()
        settings.addresses.insert(.init(host: "127.0.0.1", port: 1), at: 0)
        let connection = try await Connection.open(settings, name: "amqp-tests")
        #expect(connection.address == settings.addresses[1])
        await connection.close()
    }

    @Test func `a peer that accepts and stays silent costs the deadline and no more`() async throws {
        let proxy = TCPProxy(to: try TestServers.amqpURL)
        defer { proxy.stop() }
        proxy.freeze()
        let began = ContinuousClock.now
        let error = try await failure {
            $0.addresses = [.init(host: "127.0.0.1", port: proxy.port)]
            $0.connectTimeout = .seconds(1)
        }
        #expect(error.kind == .timedOut)
        #expect(ContinuousClock.now - began < .seconds(15))
    }

    @Test func `a plain broker is no TLS peer`() async throws {
        let error = try await failure { $0.usesTLS = true }
        #expect(error.kind == .encryption || error.kind == .unreachable)
    }

    @Test func `an authority file that is missing is named`() async throws {
        let error = try await failure {
            $0.usesTLS = true
            $0.authorityFile = "/nonexistent/ca.pem"
        }
        #expect(error.kind == .encryption)
        #expect(error.description.contains("/nonexistent/ca.pem"))
    }
}
