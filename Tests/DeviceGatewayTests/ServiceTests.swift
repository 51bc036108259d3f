import AMQP
import Cryptography
import Daemon
import Delivery
import HTTPClient
import HTTPServer
import LocalStack
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import DeviceGateway

/// The whole service on sockets: HTTP, PostgreSQL and RabbitMQ, as a process runs it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ServiceTests {
    private let nowhere = "amqp://guest:guest@127.0.0.1:1/"
    private let ack = DeviceAPIAck(
        origin: .hint, receiptEvidence: [UInt8](repeating: 7, count: 32), clientSequence: 1
    ).encoded()

    @Test func `a job goes from fetch to a confirmed ack in the recorder's queue`() async throws {
        try await withWorld { world in
            try await withScratchVirtualHost { host in
                let (phones, job) = try await world.elected(1)
                try await withService(database: world.gateway.settings, broker: host.amqpURL) { service in
                    let fetched = try await service.send(phones[0].signedForWire(service.url, "GET", "/v1/jobs/\(job)"))
                    #expect(try DeviceAPIJob(decoding: fetched.body).job == job)
                    let answer = try await service.send(
                        phones[0].signedForWire(service.url, "POST", "/v1/jobs/\(job)/ack", ack))
                    #expect(answer.status == 202)
                    #expect(try await eventually { service.context.readiness.isReady })
                    let consumer = Consumer(
                        try AMQP.ConnectionSettings(url: host.amqpURL), queue: "recorder.acks", name: "test",
                        prefetch: PrefetchPolicy(maximum: 10))
                    let running = Task { await consumer.run() }
                    let delivery = try #require(await consumer.next())
                    #expect(try DeviceAck(decoding: delivery.body).job == job)
                    #expect(delivery.type == "ack.v1" && delivery.routingKey == "ack")
                    await consumer.ack(delivery)
                    running.cancel()
                    await running.value
                }
            }
        }
    }

    @Test func `a broker that is away makes acks 503 and the service not ready, fetches go on`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            try await withService(database: world.gateway.settings, broker: nowhere, limit: .seconds(2)) { service in
                let answer = try await service.send(
                    phones[0].signedForWire(service.url, "POST", "/v1/jobs/\(job)/ack", ack))
                #expect(answer.status == 503 && answer.headers.value(of: "retry-after") == "2")
                #expect(service.context.readiness.missing.keys.contains("broker"))
                let fetched = try await service.send(phones[0].signedForWire(service.url, "GET", "/v1/jobs/\(job)"))
                #expect(fetched.status == 200)
            }
        }
    }

    @Test func `a broker that can never take acks ends the process with one line`() async throws {
        try await withScratchVirtualHost(topology: false) { host in
            let bare = host.amqpURL
            let cases: [(url: String, status: Daemon.ExitStatus)] = [
                (bare, .systemFile), (host.amqpURL(user: "guest", password: "wrong"), .noPermission),
            ]
            for (url, status) in cases {
                let settings = try AMQP.ConnectionSettings(url: url)
                let condition = Readiness().condition("broker", waitingFor: "RabbitMQ")
                let service = BrokerService(publisher: Publisher(settings, name: "test"), condition: condition)
                let failure = await #expect(throws: CommandFailure.self) { try await service.run() }
                #expect(failure?.status == status)
            }
        }
    }

    @Test func `a database that is away makes everything 503 within its limit`() async throws {
        let proxy = TCPProxy(to: try TestServers.databaseURL)
        try await withScratchDatabase { scratch in
            let settings = try Postgres.ConnectionSettings(url: proxy.url(scratch.url(as: "md_gateway")))
            try await withService(database: settings, broker: nowhere, limit: .seconds(2)) { service in
                #expect(try await eventually { !service.context.readiness.missing.keys.contains("database") })
                let phone = Phone()
                #expect(
                    try await eventually {
                        try await service.send(phone.signedForWire(service.url, "GET", "/v1/sync")).status == 401
                    })
                proxy.freeze()
                let began = ContinuousClock.now
                let answer = try await service.send(phone.signedForWire(service.url, "GET", "/v1/sync"))
                #expect(answer.status == 503 && answer.headers.value(of: "retry-after") == "2")
                #expect(began.duration(to: .now) < .seconds(15))
                proxy.stop()
            }
        }
    }
}
