import Delivery
import Postgres
import TestSupport

/// A database with two sessions of each role, so that two steps can be under way at once.
struct CompletionStage {
    let administrator: Database
    private let sessions: [[String: Session]]

    private struct Session {
        let connection: Connection
        let process: Int
    }

    static func with(_ body: (CompletionStage) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let administrator = Database(try scratch.settings, connections: 1)
            var sessions: [[String: Session]] = [[:], [:]]
            for side in sessions.indices {
                for role in ["md_gateway", "md_recorder", "md_coordinator"] {
                    let connection = try await Connection.open(try scratch.settings(as: role))
                    let process: Int = try await connection.query("SELECT pg_backend_pid()").one().only()
                    sessions[side][role] = Session(connection: connection, process: process)
                }
            }
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(CompletionStage(administrator: administrator, sessions: sessions)))
            } catch { outcome = .failure(error) }
            for session in sessions.flatMap(\.values) { await session.connection.close() }
            await administrator.close()
            try outcome.get()
        }
    }

    /// A job that lacks nothing but these steps.
    func openJob(for pair: StepPair) async throws -> OpenJob {
        let account = try await SampleAccount.make(
            Identifier.random().description, devices: 2, in: administrator)
        let job = OpenJob(
            id: try await account.commit(arguments: CommitArguments { $0.recipients = ["shop"] }, in: administrator),
            devices: account.devices)
        let done = Set([0, 1]).subtracting(pair.pendingDevices).map { job.devices[$0] }
        try await administrator.execute(
            """
            UPDATE delivery.job_device SET claimed_at = now(),
                   state = CASE WHEN device_id = ANY (\(done)) THEN 'acknowledged' ELSE state END
             WHERE job_id = \(job.id)
            """)
        try await administrator.execute(
            """
            UPDATE delivery.fanout_lease
               SET state = 'held', epoch = 1, holder_device = \(job.devices[0]), lease_nonce = \(job.nonce),
                   attempt_id = gen_random_uuid(), granted_at = now(), expires_at = now() + interval '90 seconds',
                   hard_deadline = now() + interval '900 seconds'
             WHERE job_id = \(job.id)
            """)
        if !pair.has(.firstSubmits) {
            try await administrator.execute(job.submission(by: 0, epoch: 1))
            if !pair.has(.fanoutEnds) {
                try await administrator.execute(
                    "UPDATE delivery.downstream_submission SET fanned_out_at = now() WHERE job_id = \(job.id)")
            }
        }
        if pair.has(.jobExpires) {
            try await administrator.execute(
                "UPDATE delivery.generation_job SET expires_at = now() - interval '1 second' WHERE job_id = \(job.id)")
        }
        return job
    }

    /// Takes the first step's transactions, and holds one of them open until the whole second step has either been taken
    /// or waits for a lock.
    func takeAtOnce(_ pair: StepPair, holding held: Int, on job: OpenJob) async throws {
        let first = pair.steps[0].transactions(on: job)
        for (number, transaction) in first.enumerated() {
            let connection = session(0, transaction.role).connection
            guard number == held else {
                try await connection.execute(transaction.statement)
                continue
            }
            try await connection.execute("BEGIN")
            try await connection.execute(transaction.statement)
            let second = Task { try await take(pair.steps[1], on: job, side: 1) }
            let ended = Task { try? await second.value }
            try await waitForLock(orEndOf: ended)
            try await connection.execute("COMMIT")
            try await second.value
        }
    }

    func take(_ step: LastStep, on job: OpenJob, side: Int) async throws {
        for transaction in step.transactions(on: job) {
            try await session(side, transaction.role).connection.execute(transaction.statement)
        }
    }

    func takeWhatIsLeft(of job: OpenJob) async throws {
        for transaction in job.whatIsLeft {
            try await session(0, transaction.role).connection.execute(transaction.statement)
        }
    }

    /// The ends that the job's row has, and those that were announced.
    func ends(of job: OpenJob) async throws -> (row: [String], announced: [String]) {
        let row = try await administrator.query(
            """
            SELECT array_remove(ARRAY[CASE WHEN completed_at IS NOT NULL THEN 'completed' END,
                                      CASE WHEN expired_at IS NOT NULL THEN 'expired' END,
                                      CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled' END], NULL) AS ends,
                   ARRAY(SELECT split_part(e.type, '.', 2) FROM delivery.event_outbox e
                          WHERE e.type IN ('job.completed.v1', 'job.expired.v1', 'job.cancelled.v1')
                            AND convert_from(e.body, 'UTF8')::jsonb ->> 'job' = \(job.id.description)) AS announced
              FROM delivery.generation_job WHERE job_id = \(job.id)
            """
        ).one()
        return (try row["ends"], try row["announced"])
    }

    private func session(_ side: Int, _ role: String) -> Session { sessions[side][role]! }

    private func waitForLock(orEndOf task: Task<Void?, Never>) async throws {
        let processes = sessions[1].values.map(\.process)
        let hasEnded = Flag()
        let watching = Task {
            await task.value
            await hasEnded.set()
        }
        defer { watching.cancel() }
        while !(await hasEnded.isSet) {
            let waits: Bool = try await administrator.query(
                """
                SELECT EXISTS (SELECT FROM pg_stat_activity
                                WHERE pid = ANY (\(processes)) AND wait_event_type = 'Lock')
                """
            ).one().only()
            if waits { return }
        }
    }
}

private actor Flag {
    private(set) var isSet = false
    func set() { isSet = true }
}
