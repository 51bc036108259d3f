import Postgres

/// Finished hints of the last days, as a system has them that has run for long: jobs completed, devices acknowledged,
/// history accepted.
struct OutboxHistory {
    let database: Database
    /// Devices of each account.
    let devices: Int

    private static let days = 7

    /// Writes `rows` hints, the same number for each day. Rules that rows of past days cannot break are not checked again,
    /// which is what makes ten million of them a matter of minutes.
    func write(_ rows: Int) async throws {
        try await makePartitions()
        for day in 1...Self.days {
            try Task.checkCancellation()
            try await write(rows / Self.days, daysAgo: day)
        }
        for table in ["generation_job", "job_device", "push_outbox"] {
            try await database.script("VACUUM (ANALYZE) delivery.\(table)", within: .seconds(900))
        }
        // What was written in minutes is on the disk before anything is measured, as the history of days is.
        try await database.script("CHECKPOINT", within: .seconds(900))
    }

    /// Of the days that have a history, or would have one.
    func makePartitions() async throws {
        for day in 1...Self.days { try await makePartition(daysAgo: day) }
    }

    private func makePartition(daysAgo: Int) async throws {
        try await database.script(
            """
            DO $$
            DECLARE
                day constant date := (now() AT TIME ZONE 'UTC')::date - \(daysAgo);
            BEGIN
                EXECUTE format('CREATE TABLE delivery.%I PARTITION OF delivery.push_outbox FOR VALUES FROM (%L) TO (%L)',
                               'push_outbox_' || to_char(day, 'YYYYMMDD'), day::timestamp AT TIME ZONE 'UTC',
                               (day + 1)::timestamp AT TIME ZONE 'UTC');
            END $$
            """, within: .seconds(30))
    }

    private func write(_ rows: Int, daysAgo: Int) async throws {
        try await database.script(
            """
            BEGIN;
            SET LOCAL session_replication_role = replica;
            SET LOCAL work_mem = '256MB';
            CREATE TEMPORARY TABLE finished_job ON COMMIT DROP AS
            SELECT gen_random_uuid() AS job_id, a.account_id, a.device_set_version,
                   ((now() AT TIME ZONE 'UTC')::date - \(daysAgo))::timestamp AT TIME ZONE 'UTC'
                   + n * interval '86399 seconds' / \(rows / devices) AS at
              FROM (SELECT *, row_number() OVER () - 1 AS place FROM delivery.account) a
              JOIN generate_series(0, \(rows / devices - 1)) n ON n % \(OutboxFiller.accounts) = a.place;
            INSERT INTO delivery.generation_job
                   (job_id, account_id, document_type, body_format, body_digest, commitment, signature, signing_key_id,
                    device_set_version, created_at, expires_at, completed_at, purged_at)
            SELECT job_id, account_id, 'RECEIPT', 1, decode(repeat('05', 32), 'hex'), decode(repeat('06', 32), 'hex'),
                   decode(repeat('07', 64), 'hex'), 'producer-1', device_set_version, at, at + interval '30 days',
                   at + interval '10 seconds', at + interval '10 seconds'
              FROM finished_job ORDER BY job_id;
            CREATE TEMPORARY TABLE finished_hint ON COMMIT DROP AS
            SELECT f.job_id, d.device_id, gen_random_uuid() AS entry, f.at
              FROM finished_job f JOIN delivery.device d USING (account_id);
            INSERT INTO delivery.job_device (job_id, device_id, key_id, state, entry, entry_created_at, finished_at, origin)
            SELECT job_id, device_id, 'k1', 'acknowledged', entry, at, at + interval '5 seconds', 'push'
              FROM finished_hint ORDER BY job_id, device_id;
            INSERT INTO delivery.push_outbox (created_at, id, job_id, device_id, state, seq, provider_id, finished_at)
            SELECT at, entry, job_id, device_id, 'accepted', 1, entry::text, at + interval '1 second'
              FROM finished_hint ORDER BY at;
            COMMIT
            """, within: .seconds(900))
    }
}
