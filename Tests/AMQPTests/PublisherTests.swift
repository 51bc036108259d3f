import AMQP
import LocalStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PublisherTests {
    private func withPublisher(
        _ proxy: TCPProxy, heartbeat: Duration = .seconds(10), _ body: (Publisher) async throws -> Void
    ) async throws {
        var settings = try Broker.settings()
        settings.addresses = [.init(host: "127.0.0.1", port: proxy.port)]
        settings.heartbeat = heartbeat
        let publisher = Publisher(settings, name: "amqp-tests/publish")
        let running = Task { await publisher.run() }
        do {
            try await body(publisher)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        await running.value
        proxy.stop()
    }

    @Test func `a publish waits for the first connection`() async throws {
        try await Broker.withQueue { queue, _ in
            try await withPublisher(TCPProxy(to: try TestServers.amqpURL)) { publisher in
                #expect(await publisher.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
                #expect(await publisher.isConnected)
            }
        }
    }

    @Test func `after a cut it publishes again`() async throws {
        let proxy = TCPProxy(to: try TestServers.amqpURL)
        try await Broker.withQueue { queue, _ in
            try await withPublisher(proxy) { publisher in
                #expect(await publisher.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
                proxy.cut()
                let again = try await eventually {
                    await publisher.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed
                }
                #expect(again)
            }
        }
    }

    @Test func `what was written when the connection broke is unknown`() async throws {
        let proxy = TCPProxy(to: try TestServers.amqpURL)
        try await Broker.withQueue { queue, _ in
            try await withPublisher(proxy) { publisher in
                #expect(await publisher.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
                proxy.freeze()
                async let result = publisher.publish(Broker.message(to: queue), deadline: Broker.soon)
                let written = try await eventually { await publisher.unconfirmed == 1 }
                #expect(written)
                proxy.cut()
                guard case .unknown = await result else { return #expect(Bool(false), "not unknown") }
                proxy.thaw()
            }
        }
    }

    @Test func `without a confirm a publish ends at its deadline`() async throws {
        let proxy = TCPProxy(to: try TestServers.amqpURL)
        try await Broker.withQueue { queue, _ in
            try await withPublisher(proxy) { publisher in
                #expect(await publisher.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
                proxy.freeze()
                let result = await publisher.publish(
                    Broker.message(to: queue), deadline: .now + .milliseconds(200))
                #expect(result == .unknown("no confirm before the deadline"))
                proxy.thaw()
            }
        }
    }

    @Test func `a peer that falls silent is given up after two heartbeats`() async throws {
        let proxy = TCPProxy(to: try TestServers.amqpURL)
        try await withPublisher(proxy, heartbeat: .seconds(1)) { publisher in
            let connected = try await eventually { await publisher.isConnected }
            #expect(connected)
            proxy.freeze()
            let lost = try await eventually { await !publisher.isConnected }
            #expect(lost)
        }
    }

    @Test func `without a connection nothing is written and the reason is told`() async throws {
        var settings = try Broker.settings()
        settings.addresses = [.init(host: "127.0.0.1", port: 1)]
        let publisher = Publisher(settings, name: "amqp-tests/publish")
        let running = Task { await publisher.run() }
        let known = try await eventually { await publisher.lastFailure != nil }
        #expect(known)
        let result = await publisher.publish(Broker.message(to: "q"), deadline: .now + .milliseconds(100))
        guard case .notWritten(let reason) = result else { return #expect(Bool(false), "\(result)") }
        #expect(reason.contains("can't be reached"))
        running.cancel()
        await running.value
    }
}
