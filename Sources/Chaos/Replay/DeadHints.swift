import AMQP
import Delivery
import LocalStack
import Postgres

/// Hints that failed with their budget, as the recorder fails them, each with its event for the dead-letter queue. The jobs
/// of some were cancelled since.
struct DeadHints {
    let accounts: [TokenAccount]
    let since: Timestamp
    /// How many a replay has to bring back.
    let replayable: Int
    private let cancelled: Set<Identifier>

    /// No relay may run yet.
    static func make(_ least: Int, on stage: ChaosStage, name: String) async throws -> DeadHints {
        let since = try await stage.now()
        let accounts = try await stage.makeAccounts(name)
        let each = accounts.reduce(0) { $0 + $1.devices.count }
        var left = (least * 51 / 50 + each - 1) / each
        while left > 0 {
            for account in accounts { try await account.commit(min(left, 25), in: stage.database) }
            left -= min(left, 25)
        }
        var failed: Int64
        repeat {
            failed = try await stage.database.query(
                """
                SELECT count(*) AS n FROM (
                    SELECT delivery.fail_hint(d.id, 'exhausted', 503, 'ServiceUnavailable')
                      FROM (SELECT id FROM delivery.due WHERE route > 0 ORDER BY id LIMIT 2000) d) f
                """, within: .seconds(60)
            ).one()["n"]
        } while failed > 0
        var cancelled: Set<Identifier> = []
        for row in try await stage.database.query(
            """
            WITH gone AS (
                UPDATE delivery.generation_job j SET cancelled_at = clock_timestamp()
                 WHERE j.job_id IN (SELECT job_id FROM delivery.generation_job WHERE created_at >= \(since)
                                     ORDER BY job_id LIMIT greatest(1, \(Int64(least / each / 50))))
                RETURNING j.job_id
            )
            SELECT p.id FROM delivery.push_outbox p JOIN gone USING (job_id)
            """)
        { cancelled.insert(try row["id"]) }
        let all: Int64 = try await stage.database.query(
            "SELECT count(*) AS n FROM delivery.push_outbox WHERE created_at >= \(since)"
        ).one()["n"]
        return DeadHints(
            accounts: accounts, since: since, replayable: Int(all) - cancelled.count, cancelled: cancelled)
    }

    var devices: [String: Identifier] {
        Dictionary(accounts.flatMap(\.devices).map { ($0.token, $0.id) }) { first, _ in first }
    }

    /// Takes the hints of cancelled jobs out of the history: they have to have stayed as they were, unsent.
    func check(_ history: inout CampaignHistory, on stage: ChaosStage) async throws {
        let unwanted = history.entries.filter {
            cancelled.contains($0.id) && ($0.state != "failed" || $0.acceptances > 0)
        }
        history.entries.removeAll { cancelled.contains($0.id) }
        history.entries += unwanted
    }

    /// Entries whose life is not the one that a single replay makes.
    func rearmedTwice(on stage: ChaosStage) async throws -> [Identifier] {
        var found: [Identifier] = []
        for row in try await stage.database.query(
            "SELECT id FROM delivery.push_outbox WHERE created_at >= \(since) AND life <> 2 AND state <> 'failed'")
        {
            found.append(try row["id"])
        }
        return found
    }

    /// Messages of the hints' dead-letter queues that no open letter accounts for.
    func leftCopies(on stage: ChaosStage) async throws -> Int {
        var left = 0
        for queue in ["hints.apns.dead", "hints.fcm.dead"] {
            let open: Int64 = try await stage.database.query(
                "SELECT count(*) AS n FROM delivery.dead_letter WHERE queue = \(queue) AND state = 'open'"
            ).one()["n"]
            left += (try await stage.counts(of: queue)?.ready ?? 0) - Int(open)
        }
        return left
    }
}
