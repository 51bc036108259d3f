import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Storage

/// Provider outcomes: states.md (b). Acceptances, which are most of them, take one short statement; everything else
/// another.
struct OutcomeRecording: Recording {
    let database: Database
    let routes: RouteNumbers
    let deadLetters: DeadLetterPublisher
    let configuration: Configuration
    let counters: OutcomeCounters

    var queue: String { "recorder.outcomes" }
    var batch: Int { configuration.outcomeBatch }

    func decode(_ delivery: AMQP.Delivery) throws(MessageError) -> OutcomeBatch {
        try OutcomeBatch(decoding: delivery.body)
    }

    func parts(of batch: OutcomeBatch) -> [OutcomeBatch] {
        batch.outcomes.map { OutcomeBatch(instance: batch.instance, route: batch.route, outcomes: [$0]) }
    }

    func record(_ batches: [OutcomeBatch], lockWait: Duration?) async throws(RecordingError) {
        var accepted = AcceptedColumns()
        var refused = RefusedColumns()
        do throws(PostgresError) {
            for batch in batches {
                guard let number = try await routes.number(of: batch.route) else {
                    throw PostgresError(
                        .constraint, "route \(batch.route) is not in route_state; run `mobile-delivery topology apply`")
                }
                for outcome in batch.outcomes {
                    if outcome.kind == .accepted {
                        accepted.append(outcome, of: batch.instance, on: number)
                    } else {
                        refused.append(outcome, of: batch, on: number, configuration) { .random(in: 0...1) }
                    }
                }
            }
            if !accepted.isEmpty {
                let rows = try await database.query(
                    accepted.statement(configuration), within: limit, lockWait: lockWait)
                try counters.add(accepted: rows.one())
            }
            if !refused.isEmpty {
                let rows = try await database.query(
                    refused.statement(configuration), within: limit, lockWait: lockWait)
                try counters.add(refused: rows.one())
            }
        } catch {
            throw RecordingError(error)
        }
        for batch in batches { counters.count(batch) }
    }

    func bury(_ delivery: AMQP.Delivery, _ reason: BurialReason, on consumer: Consumer) async -> Bool {
        await deadLetters.bury(delivery, reason, on: consumer)
    }

    private var limit: Duration { configuration.databaseDeadline }
}
