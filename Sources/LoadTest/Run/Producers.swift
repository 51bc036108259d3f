import Daemon
import Delivery
import DeviceFleet
import Messages
import Postgres

/// Commits jobs at the times that the plan gives them, whatever became of those before. Who is late commits what has gathered
/// in one transaction; the lateness is in the latency of every one.
struct Producers: Sendable {
    let database: Database
    let ledger: Ledger
    let arrivals: [Arrival]
    let accounts: [LoadAccount]
    let plan: LoadPlan
    /// Signs the jobs of phones.
    let author: AuthorKey?

    private static let commitLimit = Duration.seconds(30)

    /// Returns when every job is committed.
    func run() async throws {
        let queue = ArrivalQueue(arrivals, epoch: ledger.epoch)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<plan.producers { group.addTask { try await produce(queue) } }
            try await group.waitForAll()
        }
    }

    private func produce(_ queue: ArrivalQueue) async throws {
        var connection: Connection?
        while true {
            try Task.checkCancellation()
            switch queue.take(plan.batch) {
            case .done:
                await connection?.close()
                return
            case .wait(let microseconds):
                try await Task.sleep(for: .microseconds(max(500, microseconds)))
            case .jobs(let jobs):
                let light = jobs.filter { !accounts[arrivals[$0].account].hasPhones }
                if !light.isEmpty { try await commit(light) }
                for job in jobs where accounts[arrivals[job].account].hasPhones {
                    if connection == nil { connection = try await Connection.open(database.settings) }
                    if let connection { try await commit(job, on: connection) }
                }
            }
        }
    }

    /// Tries again until the database has it: the same ids a second time change nothing.
    private func commit(_ jobs: [Int]) async throws {
        let deadline = ContinuousClock.now + .seconds(plan.patience)
        while true {
            do throws(PostgresError) {
                try await database.execute(statement(jobs), within: Self.commitLimit)
                return await ledger.committed(jobs, at: MachineClock.now)
            } catch {
                // Job exists with another content.
                if error.sqlState == "MD001" {
                    throw CommandFailure(
                        .usage, "the system has jobs of seed \(plan.seed) from an earlier test: give another --seed")
                }
                guard error.sqlState?.hasPrefix("MD") != true, .now < deadline else {
                    throw CommandFailure(.software, "a job of the load test cannot be committed: \(error)")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func statement(_ jobs: [Int]) -> Statement {
        """
        SELECT count(delivery.commit_job(
                   j.job, j.account, 'RECEIPT', \([UInt8](repeating: 7, count: plan.bodyBytes)), 1::smallint,
                   \([UInt8](repeating: 3, count: 32)), \([UInt8](repeating: 4, count: 32)),
                   \([UInt8](repeating: 5, count: 64)), 'producer-1', a.device_set_version, d.keys, '{}',
                   interval '1 hour')::text)
          FROM unnest(\(jobs.map { arrivals[$0].job }), \(jobs.map { accounts[arrivals[$0].account].name })) j (job, account)
          JOIN delivery.account a ON a.account_id = j.account
         CROSS JOIN LATERAL (SELECT array_agg(ROW(d.device_id, 'k1', 'sealed'::bytea)::delivery.sealed_key) AS keys
                               FROM delivery.device d WHERE d.account_id = j.account) d
        """
    }

    private func commit(_ job: Int, on connection: Connection) async throws {
        guard let author else { return }
        let document = JSONWriter.object {
            $0.member("total", 1290)
            $0.member("currency", "EUR")
        }
        _ = try await DocumentCommit(
            job: arrivals[job].job, account: accounts[arrivals[job].account].name, documentType: .receipt,
            document: document, recipients: [], lifetime: .seconds(3600), author: author
        ).run(on: connection)
        await ledger.committed([job], at: MachineClock.now)
    }
}
