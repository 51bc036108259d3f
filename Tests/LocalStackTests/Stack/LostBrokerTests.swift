import FoundationEssentials
import LocalStack
import Postgres
import TestSupport
import Testing

/// Decision 1: PostgreSQL or a phone can name all work again, whatever the broker loses.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LostBrokerTests {
    @Test func `acks lost after their 202 are sent again by one foreground sync`() async throws {
        try await withStack { running, servers in
            await running.stack.stop(.ackRecorder)
            let jobs = try await running.commitBoth()
            #expect(try await running.phonesSay("acknowledged", count: jobs.count * 2))
            // What was fanned out is with the integrator: the broker shall lose acks and nothing else.
            #expect(try await running.integratorHas(jobs.count * 2))
            try await servers.emptyBroker()
            try await running.stack.applyTopology()
            try await running.stack.start(.ackRecorder)
            try await running.phones.foregroundSync()
            try await running.expectEvidence(of: jobs)
        }
    }

    @Test func `a submission whose event was lost after its confirm is fanned out all the same`() async throws {
        try await withStack { running, servers in
            await running.stack.stop(.coordinator)
            let jobs = try await running.commitBoth()
            let confirmed = try await running.eventsConfirmed("job.submitted", count: jobs.count)
            #expect(confirmed)
            try await servers.emptyBroker()
            try await running.stack.applyTopology()
            try await running.stack.start(.coordinator)
            try await running.phones.foregroundSync()
            try await running.expectEvidence(of: jobs, within: .seconds(60))
        }
    }

    /// A stack on servers of its own, which the test may rob of their data.
    private func withStack(_ body: (RunningStack, inout Servers) async throws -> Void) async throws {
        var servers = try await Servers.start(under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        let failure: (any Error)?
        do {
            try await RunningStack.with(settings: RunningStack.shortWaits, on: servers) { try await body($0, &servers) }
            failure = nil
        } catch {
            failure = error
        }
        try await servers.stop()
        if let failure { throw failure }
    }
}

extension RunningStack {
    fileprivate func phonesSay(_ event: String, count: Int) async throws -> Bool {
        try await eventually(within: .seconds(30)) { phones.count(of: event) >= count }
    }

    /// Whether the relay published that many events of the type and got their confirm: their rows are gone then.
    fileprivate func eventsConfirmed(_ type: String, count: Int) async throws -> Bool {
        let connection = try await Connection.open(ConnectionSettings(url: stack.site.databaseURL))
        let confirmed = try await eventually(within: .seconds(30)) {
            let left: Int = try await connection.query(
                """
                SELECT count(*) AS count FROM delivery.event_outbox e
                WHERE e.routing_key = \(type) AND NOT EXISTS (SELECT FROM delivery.due d WHERE d.entry = e.id)
                """
            ).one()["count"]
            return left >= count
        }
        await connection.close()
        return confirmed
    }
}
