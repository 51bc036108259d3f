import Delivery
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Topology

/// A migration while producers commit.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LiveMigrationTests {
    /// Commits one job after the other, as fast as they go, until it is cancelled.
    private final class Producer: Sendable {
        private let numbers = Mutex((commits: 0, slowest: Duration.zero))
        var commits: Int { numbers.withLock { $0.commits } }
        var slowest: Duration { numbers.withLock { $0.slowest } }

        func run(_ account: SampleAccount, _ database: Database) async throws {
            while !Task.isCancelled {
                let began = ContinuousClock.now
                try await account.commit(in: database)
                numbers.withLock { $0 = ($0.commits + 1, max($0.slowest, .now - began)) }
            }
        }
    }

    private func withTraffic(_ body: (ScratchDatabase, Producer) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 2)
            let account = try await SampleAccount.make(devices: 2, in: database)
            let producer = Producer()
            let running = Task { try await producer.run(account, database) }
            #expect(try await eventually { producer.commits > 5 })
            do {
                try await body(scratch, producer)
            } catch {
                running.cancel()
                throw error
            }
            running.cancel()
            try await running.value
            await database.close()
        }
    }

    private func migrations(adding sql: String) throws -> Migrations {
        let all = try Migration.read(directory: "\(Repository.root)/topology/postgres")
        var migrations = Migrations(all + [Migration(number: 9000, name: "9000-new.sql", sql: sql)])
        migrations.lockLimit = .milliseconds(200)
        migrations.lockPause = .milliseconds(50)
        return migrations
    }

    @Test func `all files again and a new one make no commit wait`() async throws {
        try await withTraffic { scratch, producer in
            let connection = try await Connection.open(try scratch.settings)
            let new = try migrations(
                adding:
                    "ALTER TABLE delivery.generation_job ADD COLUMN note text; CREATE INDEX ON delivery.audit (actor);")
            #expect(try await new.apply(on: connection).map(\.number) == [9000])
            #expect(try await new.apply(on: connection) == [])
            let before = producer.commits
            #expect(try await eventually { producer.commits > before + 20 })
            #expect(producer.slowest < .seconds(3))
            await connection.close()
        }
    }

    @Test func `a file that meets a lock steps back, so that commits go on, and comes again`() async throws {
        try await withTraffic { scratch, producer in
            let new = try migrations(adding: "ALTER TABLE delivery.generation_job ADD COLUMN note text;")
            let reader = try await Connection.open(try scratch.settings)
            let observer = try await Connection.open(try scratch.settings)
            let applying = Task {
                let connection = try await Connection.open(try scratch.settings)
                let applied = try await new.apply(on: connection)
                await connection.close()
                return applied.count
            }
            try await reader.transaction { transaction in
                try await transaction.execute("SELECT count(*) FROM delivery.generation_job")
                let waits = try await eventually {
                    try await observer.query(
                        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN note%'"
                    ).count > 0
                }
                #expect(waits)
                // Were the file to wait for the reader, no commit would come through behind it.
                let before = producer.commits
                #expect(try await eventually(within: .seconds(60)) { producer.commits > before + 100 })
            }
            #expect(try await applying.value == 1)
            #expect(producer.slowest < .seconds(3))
            await reader.close()
            await observer.close()
        }
    }

    @Test func `a file that meets a lock every time is given up with one line`() async throws {
        try await withScratchDatabase { scratch in
            var new = try migrations(adding: "ALTER TABLE delivery.generation_job ADD COLUMN note text;")
            new.lockAttempts = 2
            let reader = try await Connection.open(try scratch.settings)
            let connection = try await Connection.open(try scratch.settings)
            try await reader.transaction { transaction in
                try await transaction.execute("SELECT count(*) FROM delivery.generation_job")
                let error = await #expect(throws: MigrationError.self) { try await new.apply(on: connection) }
                #expect(error == .locked("9000-new.sql"))
            }
            await connection.close()
            await reader.close()
        }
    }

    @Test func `partitions come and go while producers commit`() async throws {
        try await withTraffic { scratch, producer in
            let connection = try await Connection.open(try scratch.settings)
            try await connection.execute(
                """
                CREATE TABLE delivery.push_outbox_20200101 PARTITION OF delivery.push_outbox
                FOR VALUES FROM ('2020-01-01 00:00Z') TO ('2020-01-02 00:00Z')
                """)
            let made: Int32 = try await connection.query("SELECT delivery.make_partitions(20) AS n").one()["n"]
            let dropped: String? = try await connection.query(
                "SELECT delivery.drop_partition('push_outbox', interval '7 days') AS n"
            ).one()["n"]
            #expect(made == 26 && dropped == "push_outbox_20200101")
            let before = producer.commits
            #expect(try await eventually { producer.commits > before + 20 })
            #expect(producer.slowest < .seconds(3))
            await connection.close()
        }
    }
}
