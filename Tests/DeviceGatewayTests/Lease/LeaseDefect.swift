import Postgres
import Testing

/// A defect planted in the database's functions, numbered as in (d.4) of the specification. 16, a lease that a crash
/// takes along, is planted where a server of one's own can crash: `LeaseCrashTests`.
enum LeaseDefect: Int, CaseIterable {
    case clockReadBeforeLock = 2
    case submitChecksOnlyExpiry = 3
    case submitChecksOnlyHolder = 4
    case deviceNotLockedOnSubmit = 12
    case secondEpochForLostAnswer = 20

    /// Not only when two calls meet.
    var isSeenInAnswers: Bool { self != .clockReadBeforeLock && self != .deviceNotLockedOnSubmit }

    private var function: String {
        switch self {
        case .clockReadBeforeLock: "begin_lease_call"
        case .secondEpochForLostAnswer: "acquire_lease"
        case .submitChecksOnlyExpiry, .submitChecksOnlyHolder: "submit_fanout"
        case .deviceNotLockedOnSubmit: "begin_job_call"
        }
    }

    /// All blanks are single ones.
    private var replacements: [(of: String, with: String)] {
        let whole =
            "lease.state <> 'held' OR lease.holder_device <> the_device OR lease.epoch <> the_epoch "
            + "OR lease.lease_nonce <> the_nonce"
        return switch self {
        case .clockReadBeforeLock: [("moment := clock_timestamp()", "moment := now()")]
        case .submitChecksOnlyExpiry: [(whole, "lease.expires_at <= moment")]
        case .submitChecksOnlyHolder: [(whole, "lease.state <> 'held' OR lease.holder_device <> the_device")]
        case .deviceNotLockedOnSubmit: [("d.state = 'active' FOR KEY SHARE", "d.state = 'active'")]
        case .secondEpochForLostAnswer:
            [
                ("a.attempt_id = attempt)", "false)"),
                (
                    "IF lease.state = 'held' AND lease.expires_at > moment THEN outcome := 'held'",
                    "IF lease.state = 'held' AND lease.expires_at > moment AND lease.holder_device <> the_device "
                        + "THEN outcome := 'held'"
                ),
                ("acquire_lease.epoch);", "acquire_lease.epoch) ON CONFLICT DO NOTHING;"),
            ]
        }
    }

    func plant(in database: Database) async throws {
        let original: String = try await database.query(
            "SELECT pg_get_functiondef(\("delivery.\(function)")::regproc) AS text"
        ).one()["text"]
        // One line without comments, so that no line break is in the way of what is looked for.
        let code = original.split(separator: "\n").compactMap { $0.split(separator: "--", maxSplits: 1).first }
        var changed = code.flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
        for (text, replacement) in replacements {
            let parts = changed.split(separator: text, omittingEmptySubsequences: false)
            try #require(parts.count > 1, "no '\(text)' in \(function)")
            changed = parts.joined(separator: replacement)
        }
        try await database.script(changed)
    }
}

extension World {
    /// What a device is told whose acquire waited for the lease's lock while the lease ran out.
    func answerAfterExpiryWhileWaiting() async throws -> String {
        let (phones, job) = try await elected(2)
        _ = try await acquire(phones[0], job)
        let blocker = try await Connection.open(administrator.settings)
        try await blocker.execute("BEGIN")
        try await blocker.execute("SELECT FROM delivery.fanout_lease WHERE job_id = \(job) FOR UPDATE")
        let waiter = Task { try await acquire(phones[1], job).outcome }
        try #require(try await waits(for: "acquire_lease"))
        // Later than the waiter's begin, over by the time it has the lock.
        try await blocker.execute(
            "UPDATE delivery.fanout_lease SET expires_at = clock_timestamp() WHERE job_id = \(job)")
        try await blocker.execute("COMMIT")
        await blocker.close()
        return try await waiter.value
    }

    /// Whether a device is revoked while a submission of its own has passed the check of the device and waits for the
    /// lease's lock, and the submission is accepted after it (I-16).
    func revocationOvertakesSubmission() async throws -> Bool {
        let (phones, job) = try await elected(1)
        let grant = try await acquire(phones[0], job)
        let blocker = try await Connection.open(administrator.settings)
        try await blocker.execute("BEGIN")
        try await blocker.execute("SELECT FROM delivery.fanout_lease WHERE job_id = \(job) FOR UPDATE")
        let submission = Task { try await submit(phones[0], job, grant) }
        try #require(try await waits(for: "submit_fanout"))
        let revocation = Task {
            try await gateway.query("SELECT * FROM delivery.revoke_device(\(phones[0].id), \("test"))").count
        }
        // It either comes to wait for the submission, or ends.
        let isRevoked = try await eventuallyRevokedOrWaiting(phones[0])
        try await blocker.execute("COMMIT")
        await blocker.close()
        _ = try await revocation.value
        return try await submission.value == "accepted" && isRevoked
    }

    private func eventuallyRevokedOrWaiting(_ phone: Phone) async throws -> Bool {
        while true {
            let row = try await administrator.query(
                """
                SELECT (SELECT state = 'revoked' FROM delivery.device WHERE device_id = \(phone.id)) AS revoked,
                       EXISTS (SELECT FROM pg_stat_activity
                                WHERE datname = current_database() AND wait_event_type = 'Lock'
                                  AND query LIKE '%revoke_device%') AS waits
                """
            ).one()
            if try row.get("revoked", as: Bool.self) { return true }
            if try row.get("waits", as: Bool.self) { return false }
        }
    }
}
