import Daemon
import Delivery
import Postgres
import Storage

/// The coordinator's statements (0040-coordinator.sql): each is one function and one transaction.
struct CoordinatorStore: Sendable {
    let database: Database
    /// Of each call; shorter than the time to stop, so that an orderly end never waits for a server that is away.
    let limit = Duration.seconds(10)

    /// A fan-out and the request to send again that it answers, if it does.
    struct Taken: Sendable {
        var fanout: Fanout
        var resend: Timestamp?
    }

    func takeFanouts(
        of job: Identifier?, age: Duration, hold: Duration, atMost: Int
    ) async throws(PostgresError) -> [Taken] {
        var taken: [Taken] = []
        for row in try await database.query(
            """
            SELECT job_id, document_type, epoch, device_id, digest, traceparent, recipients, resend_at, submitted_at
              FROM delivery.take_fanouts(\(job as Identifier?), \(age), \(hold), \(atMost)::int)
            """, within: limit)
        {
            guard let type = DocumentType(rawValue: try row["document_type"]) else {
                throw PostgresError(.decoding, "an unknown document type")
            }
            let submitted: Timestamp = try row["submitted_at"]
            let fanout = Fanout(
                job: try row["job_id"], documentType: type, epoch: try row["epoch"], device: try row["device_id"],
                digest: try row["digest"], traceparent: try row["traceparent"], recipients: try row["recipients"],
                submittedAt: UInt64(clamping: submitted.milliseconds / 1000))
            taken.append(Taken(fanout: fanout, resend: try row["resend_at"]))
        }
        return taken
    }

    /// Nil if it is gone.
    func ciphertext(of job: Identifier, for recipient: String) async throws(PostgresError) -> [UInt8]? {
        let rows = try await database.query(
            """
            SELECT ciphertext FROM delivery.downstream_ciphertext
             WHERE job_id = \(job) AND recipient = \(recipient)
            """, within: limit)
        return try rows.first?.get("ciphertext", as: [UInt8].self)
    }

    /// Whether the job is complete by it.
    func finish(_ taken: Taken) async throws(PostgresError) -> Bool {
        try await database.query(
            "SELECT delivery.finish_fanout(\(taken.fanout.job), \(taken.resend as Timestamp?)) AS completed",
            within: limit
        ).one()["completed"]
    }

    func release(_ job: Identifier, pause: Duration) async throws(PostgresError) {
        try await database.execute("SELECT delivery.release_fanout(\(job), \(pause))", within: limit)
    }

    struct Expiry: Equatable, Sendable {
        var taken: Int
        var devices: Int
        var expired: Int
        var completed: Int
    }

    func expireJobs(atMost: Int) async throws(PostgresError) -> Expiry {
        let row = try await database.query("SELECT * FROM delivery.expire_jobs(\(atMost)::int)", within: limit).one()
        return Expiry(
            taken: try row["taken"], devices: try row["devices"], expired: try row["expired"],
            completed: try row["completed"])
    }

    /// How many cancellations were finished.
    func finishCancellations(of job: Identifier?, age: Duration, atMost: Int) async throws(PostgresError) -> Int {
        try await database.query(
            "SELECT taken FROM delivery.finish_cancellations(\(job as Identifier?), \(age), \(atMost)::int)",
            within: limit
        ).one()["taken"]
    }

    struct Revocation: Equatable, Sendable {
        var device: Identifier
        var jobs: Int
        var leases: Int
        var completed: Int
        var more: Bool
    }

    /// One revoked device, or a part of what it had; nil if there is none to be taken.
    func finishRevocation(
        of device: Identifier?, age: Duration, atMost: Int
    ) async throws(PostgresError) -> Revocation? {
        let row = try await database.query(
            "SELECT * FROM delivery.finish_revocation(\(device as Identifier?), \(age), \(atMost)::int)", within: limit
        ).one()
        guard let device = try row.get("revoked", as: Identifier?.self) else { return nil }
        return Revocation(
            device: device, jobs: try row["jobs"], leases: try row["leases"], completed: try row["completed"],
            more: try row["more"])
    }

    func purgeJobs(rest: Duration, atMost: Int) async throws(PostgresError) -> Int {
        try await database.query("SELECT delivery.purge_jobs(\(rest), \(atMost)::int) AS count", within: limit).one()[
            "count"]
    }

    func purgeCiphertexts(rest: Duration, atMost: Int) async throws(PostgresError) -> Int {
        try await database.query("SELECT delivery.purge_ciphertexts(\(rest), \(atMost)::int) AS count", within: limit)
            .one()["count"]
    }

    struct Stuck: Equatable, Sendable {
        var leases: Int
        var leaseJob: Identifier?
        var fanouts: Int
        var fanoutJob: Identifier?
    }

    func stuck(lease: Duration, fanout: Duration) async throws(PostgresError) -> Stuck {
        let row = try await database.query("SELECT * FROM delivery.stuck_fanouts(\(lease), \(fanout))", within: limit)
            .one()
        return Stuck(
            leases: try row["leases"], leaseJob: try row["lease_job"], fanouts: try row["fanouts"],
            fanoutJob: try row["fanout_job"])
    }

    struct FinalJobs: Equatable, Sendable {
        var overdue: Int
        var overdueJob: Identifier?
        var orphaned: Int
        var orphanedJob: Identifier?
    }

    func sweepFinalJobs(age: Duration, atMost: Int) async throws(PostgresError) -> FinalJobs {
        let row = try await database.query(
            "SELECT * FROM delivery.sweep_final_jobs(\(age), \(atMost)::int)", within: limit
        ).one()
        return FinalJobs(
            overdue: try row["overdue"], overdueJob: try row["overdue_job"], orphaned: try row["orphaned"],
            orphanedJob: try row["orphaned_job"])
    }

    func makePartitions(days: Int) async throws(PostgresError) -> Int {
        try await database.query("SELECT delivery.make_partitions(\(days)::int) AS made", within: limit).one()["made"]
    }
}
