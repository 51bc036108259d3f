import AMQP
import TestSupport

/// The broker that the tests talk to.
enum Broker {
    static func settings() throws -> ConnectionSettings { try ConnectionSettings(url: TestServers.amqpURL) }

    static func name(_ what: String) -> String { "test.\(what).\(UInt64.random(in: 0...UInt64.max))" }

    static func open() async throws -> Connection { try await Connection.open(settings(), name: "amqp-tests") }

    /// A quorum queue that exists while `body` runs.
    static func withQueue(
        arguments: Headers = ["x-queue-type": "quorum"],
        _ body: (_ queue: String, _ connection: Connection) async throws -> Void
    ) async throws {
        let connection = try await open()
        let queue = name("queue")
        try await connection.declareQueue(queue, arguments: arguments)
        do {
            try await body(queue, connection)
        } catch {
            try? await connection.deleteQueue(queue)
            await connection.close()
            throw error
        }
        try? await connection.deleteQueue(queue)
        await connection.close()
    }

    static func message(to queue: String, id: String = "m", headers: Headers = [:], body: [UInt8] = [1]) -> Message {
        Message(exchange: "", routingKey: queue, messageID: id, type: "test.v1", headers: headers, body: body)
    }

    static var soon: ContinuousClock.Instant { .now + .seconds(30) }
}
