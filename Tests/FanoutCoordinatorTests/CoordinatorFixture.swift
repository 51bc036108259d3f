import AMQP
import Daemon
import Delivery
import FanoutCoordinator
import Messages
import Postgres
import Storage
import TestSupport
import Testing

/// A database, a virtual host and an account, with as many coordinators as a test starts.
struct CoordinatorFixture {
    let scratch: ScratchDatabase
    let host: ScratchVirtualHost
    /// As superuser: what the gateway, the recorder and the clock would do.
    let database: Database
    let account: SampleAccount
    let readiness = Readiness()
    let metrics = Metrics()

    static let route = Route(provider: .apns, environment: "sandbox", app: "cheqi")

    /// Short times, so that a sweep finds what a test prepares at once.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.sweepInterval = .milliseconds(100)
        configuration.unrungAfter = .zero
        configuration.watchInterval = .milliseconds(100)
        configuration.fanoutPause = .milliseconds(50)
        configuration.publishTimeout = .seconds(3)
        return configuration
    }

    static func with(
        devices: Int = 2, _ body: (CoordinatorFixture) async throws -> Void
    ) async throws {
        try await withScratchDatabase { scratch in
            try await withScratchVirtualHost { host in
                let database = Database(try scratch.settings, connections: 2)
                try await database.execute("SELECT delivery.add_route('apns', 'sandbox', 'cheqi')")
                let account = try await SampleAccount.make(devices: devices, in: database)
                try await body(
                    CoordinatorFixture(scratch: scratch, host: host, database: database, account: account))
                await database.close()
            }
        }
    }

    var broker: AMQP.ConnectionSettings {
        get throws { try AMQP.ConnectionSettings(url: host.amqpURL) }
    }

    /// Runs one coordinator beside `body`, with the rights of its role, and stops it in good order.
    func withCoordinator(
        _ configuration: Configuration = configuration, _ body: () async throws -> Void
    ) async throws {
        let shutdown = Shutdown()
        let own = Database(try scratch.settings(as: "md_coordinator"), connections: 2)
        let coordinator = Coordinator(
            configuration, database: own, broker: try broker, instance: "test", metrics: metrics, readiness: readiness)
        let running = Task { try await Shutdown.$current.withValue(shutdown) { try await coordinator.run() } }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        shutdown.request()
        try await running.value
        await own.close()
        try result.get()
    }

    // MARK: What devices and producers do

    func commit(recipients: [String] = ["shop", "tax"], lifetime: Duration = .seconds(3600)) async throws -> Identifier
    {
        try await account.commit(
            arguments: CommitArguments {
                $0.recipients = recipients
                $0.lifetime = lifetime
            }, in: database)
    }

    /// As the gateway does it, without the event.
    func submit(_ job: Identifier, age: Duration = .zero) async throws {
        try await database.execute(
            """
            WITH done AS (UPDATE delivery.fanout_lease SET state = 'done', epoch = 1 WHERE job_id = \(job)),
            submission AS (
                INSERT INTO delivery.downstream_submission (job_id, device_id, epoch, digest, submitted_at)
                VALUES (\(job), \(account.devices[0]), 1, \([UInt8](repeating: 7, count: 32)), now() - \(age)))
            SELECT
            """)
        try await database.execute(
            """
            INSERT INTO delivery.downstream_ciphertext (job_id, recipient, ciphertext)
            SELECT job_id, r, convert_to('for ' || r, 'UTF8')
              FROM delivery.generation_job, unnest(recipients) r WHERE job_id = \(job)
            """)
    }

    /// Past its expiry now.
    func letExpire(_ job: Identifier) async throws {
        try await database.execute(
            "UPDATE delivery.generation_job SET expires_at = now() - interval '1 second' WHERE job_id = \(job)")
    }

    func setDevices(of job: Identifier, _ state: String) async throws {
        try await database.execute("UPDATE delivery.job_device SET state = \(state) WHERE job_id = \(job)")
    }

    func ring(_ type: MessageType, _ body: [UInt8]) async throws {
        try await publish(type: type.rawValue, key: type.eventKey, body: body)
    }

    func publish(type: String, key: String, body: [UInt8]) async throws {
        let connection = try await AMQP.Connection.open(try broker, name: "test")
        let result = await connection.publish(
            Message(exchange: "events", routingKey: key, messageID: "event-1", type: type, body: body),
            deadline: .now + .seconds(5))
        await connection.close()
        guard result == .confirmed else { throw AMQPError(.refused, "not published: \(result)") }
    }

    // MARK: What can be seen

    /// One value of one row.
    func value<Value: PostgresValue>(_ statement: Statement, as type: Value.Type = Value.self) async throws -> Value {
        try await database.query(statement).one().only(as: type)
    }

    func text(_ column: String, of job: Identifier) async throws -> String? {
        try await value(
            "SELECT \(unescaped: column)::text FROM delivery.generation_job WHERE job_id = \(job)", as: String?.self)
    }

    func count(_ condition: String, in table: String) async throws -> Int {
        try await value("SELECT count(*) FROM delivery.\(unescaped: table) WHERE \(unescaped: condition)")
    }

    /// Waits for as many messages of a queue and takes them; what comes more within a moment is in the answer, too.
    func take(_ count: Int, from queue: String = "downstream.default") async throws -> [AMQP.Delivery] {
        let consumer = Consumer(try broker, queue: queue, name: "test", prefetch: PrefetchPolicy(maximum: 100))
        let running = Task { await consumer.run() }
        var deliveries: [AMQP.Delivery] = []
        var end = ContinuousClock.now + .seconds(10)
        while let delivery = await consumer.next(until: end) {
            deliveries.append(delivery)
            await consumer.ack(delivery)
            if deliveries.count == count { end = .now + .milliseconds(200) }
            // Somebody who publishes for ever is stopped by the caller.
            if deliveries.count >= count, .now >= end { break }
        }
        running.cancel()
        await running.value
        return deliveries
    }

    func ready(_ queue: String) async throws -> Int {
        let connection = try await AMQP.Connection.open(try broker, name: "test")
        let counts = try await connection.counts(of: queue)
        await connection.close()
        return counts?.ready ?? -1
    }
}

/// Fails the test unless `fact` holds within ten seconds.
func becomes(
    sourceLocation: SourceLocation = #_sourceLocation, _ fact: () async throws -> Bool
) async throws {
    let holds = try await eventually(fact)
    #expect(holds, sourceLocation: sourceLocation)
}
