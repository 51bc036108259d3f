public import Delivery
public import Postgres
import Storage

/// Reads the history of a job or of one entry, as of one moment.
public struct HistoryReading: Sendable {
    private let database: Database
    private let limit = Duration.seconds(10)

    public init(_ database: Database) { self.database = database }

    /// Nil if there is neither a job nor an entry of that id.
    public func read(_ subject: Identifier) async throws -> JobHistory? {
        try await database.transaction(within: limit) { transaction in
            try await transaction.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let found = try await transaction.query(
                """
                SELECT job_id, NULL::uuid AS entry FROM delivery.generation_job WHERE job_id = \(subject)
                UNION ALL SELECT job_id, id FROM delivery.push_outbox WHERE id = \(subject) LIMIT 1
                """)
            guard let row = found.first else { return nil }
            let entry: Identifier? = try row["entry"]
            var history = try await job(row["job_id"], transaction)
            history.entries = try await entries(history.job, only: entry, transaction)
            try await addTokens(to: &history, transaction)
            try await addLetters(to: &history, transaction)
            history.audit = try await audit(of: history, transaction)
            return history
        }
    }

    private func job(_ id: Identifier, _ transaction: Transaction) async throws(PostgresError) -> JobHistory {
        let row = try await transaction.query(
            """
            SELECT j.job_id, j.account_id, j.document_type, j.created_at, j.expires_at, j.completed_at, j.expired_at,
                   j.cancelled_at, cardinality(j.recipients) AS recipients, clock_timestamp() AS now, l.state AS lease,
                   (SELECT sessions FROM delivery.service_sessions() WHERE role = 'md_relay') AS relays,
                   l.holder_device, l.expires_at AS lease_until, s.submitted_at, s.fanned_out_at, s.resend_at
            FROM delivery.generation_job j
            LEFT JOIN delivery.fanout_lease l USING (job_id)
            LEFT JOIN delivery.downstream_submission s USING (job_id)
            WHERE j.job_id = \(id)
            """
        ).one()
        var history = JobHistory(
            now: try row["now"], job: id, account: try row["account_id"], documentType: try row["document_type"],
            createdAt: try row["created_at"], expiresAt: try row["expires_at"], completedAt: try row["completed_at"],
            expiredAt: try row["expired_at"], cancelledAt: try row["cancelled_at"],
            recipients: Int(try row["recipients"] as Int32))
        history.relayConnections = Int(try row["relays"] as Int32)
        history.fanout.leaseState = try row["lease"]
        history.fanout.holder = try row["holder_device"]
        history.fanout.leaseUntil = try row["lease_until"]
        history.fanout.submittedAt = try row["submitted_at"]
        history.fanout.fannedOutAt = try row["fanned_out_at"]
        history.fanout.resendAt = try row["resend_at"]
        return history
    }

    private func entries(
        _ job: Identifier, only entry: Identifier?, _ transaction: Transaction
    ) async throws(PostgresError) -> [EntryHistory] {
        let only = entry?.description ?? ""
        let rows = try await transaction.query(
            """
            SELECT jd.entry, jd.entry_created_at, jd.device_id, v.platform, v.state = 'active' AS active,
                   jd.state AS device_state, jd.claimed_at, jd.finished_at AS device_finished_at, jd.failure_reason,
                   jd.late_ack_at, p.state, p.reason, p.provider_id, p.finished_at,
                   coalesce(d.seq, p.seq, 0) AS seq, coalesce(d.life, p.life, 1) AS life,
                   coalesce(d.failures, p.failures, 0) AS failures, coalesce(d.silences, p.silences, 0) AS silences,
                   coalesce(d.crashes, p.crashes, 0) AS crashes, coalesce(d.disputes, p.disputes, 0) AS disputes,
                   d.due_at, d.first_failed_at, d.lease_until, d.published_at, d.lease_owner,
                   d.lease_token IS NOT NULL AS is_leased, d.last_error,
                   concat_ws('.', r.provider, nullif(r.environment, ''), r.app) AS route,
                   r.hand_paused, r.hand_by, r.hand_since, r.hand_reason, r.seen_paused, r.seen_reason, r.seen_since
            FROM delivery.job_device jd
            JOIN delivery.device v USING (device_id)
            LEFT JOIN delivery.push_outbox p ON p.created_at = jd.entry_created_at AND p.id = jd.entry
            LEFT JOIN delivery.due d ON d.entry = jd.entry
            LEFT JOIN delivery.route_state r ON r.route = d.route
            WHERE jd.job_id = \(job) AND coalesce(jd.entry = nullif(\(only), '')::uuid, true)
            ORDER BY jd.device_id
            """)
        var entries: [EntryHistory] = []
        for row in rows { entries.append(try self.entry(row)) }
        return entries
    }

    private func entry(_ row: Row) throws(PostgresError) -> EntryHistory {
        var entry = EntryHistory(
            entry: try row["entry"], createdAt: try row["entry_created_at"], device: try row["device_id"],
            platform: try row["platform"], isDeviceActive: try row["active"], deviceState: try row["device_state"])
        entry.claimedAt = try row["claimed_at"]
        entry.deviceFinishedAt = try row["device_finished_at"]
        entry.failureReason = try row["failure_reason"]
        entry.lateAckAt = try row["late_ack_at"]
        entry.state = try row["state"]
        entry.reason = try row["reason"]
        entry.providerID = try row["provider_id"]
        entry.finishedAt = try row["finished_at"]
        entry.counters.seq = try row["seq"]
        entry.counters.life = try row["life"]
        entry.counters.failures = try row["failures"]
        entry.counters.silences = try row["silences"]
        entry.counters.crashes = try row["crashes"]
        entry.counters.disputes = try row["disputes"]
        if let dueAt: Timestamp = try row["due_at"] { entry.due = try due(row, dueAt) }
        return entry
    }

    private func due(_ row: Row, _ dueAt: Timestamp) throws(PostgresError) -> DueHistory {
        let route: String = try row["route"]
        var due = DueHistory(
            route: route, queue: "hints.\(route)", dueAt: dueAt, firstFailedAt: try row["first_failed_at"],
            leaseUntil: try row["lease_until"], publishedAt: try row["published_at"], owner: try row["lease_owner"],
            isLeased: try row["is_leased"], lastError: try row["last_error"])
        due.hand.isPaused = try row["hand_paused"] as Bool? ?? false
        due.hand.by = try row["hand_by"]
        due.hand.since = try row["hand_since"]
        due.hand.reason = try row["hand_reason"]
        due.seen.isPaused = try row["seen_paused"] as Bool? ?? false
        due.seen.reason = try row["seen_reason"]
        due.seen.since = try row["seen_since"]
        return due
    }
}
