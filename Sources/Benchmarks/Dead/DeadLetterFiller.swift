import Delivery
import Postgres

/// Open dead letters as they spread in a system in trouble: most are ordinary uninstalls, and what is looked for is old, so
/// that whoever walks from the newest one walks long.
struct DeadLetterFiller {
    let database: Database

    /// What filters ask for.
    struct Sample: Sendable {
        let id: Int64
        let device: Identifier
        let job: Identifier
        /// Half of the letters were recorded before.
        let middle: Timestamp
    }

    func write(_ count: Int) async throws -> Sample {
        try await database.script(
            """
            CREATE TEMPORARY TABLE someone AS
            SELECT n, gen_random_uuid() AS device, gen_random_uuid() AS job FROM generate_series(0, \(count / 100)) n;
            INSERT INTO delivery.dead_letter
                   (queue, message_id, seq, type, reason, status, failures, exchange, routing_key, job_id, device_id,
                    recorded_at, first_failed_at, last_failed_at)
            SELECT CASE WHEN k = 'ack' THEN 'recorder.dead' WHEN k LIKE 'hints.fcm%' THEN 'hints.fcm.dead'
                        ELSE 'hints.apns.dead' END,
                   gen_random_uuid()::text, 1, CASE k WHEN 'ack' THEN 'ack.v1' ELSE 'hint.dead.v1' END,
                   CASE WHEN k = 'ack' THEN 'malformed' WHEN l.n % 4 < 3 THEN 'token' WHEN l.n < \(count) / 20 THEN 'faulty_request'
                        ELSE 'exhausted' END, 410,
                   CASE WHEN l.n < \(count) / 20 THEN 20 ELSE l.n % 4 END, 'hints', k, s.job, s.device,
                   now() - interval '7 days' + l.n * (interval '6 days' / \(count)), now() - interval '7 days',
                   now() - interval '7 days'
              FROM (SELECT n, CASE WHEN n < \(count) / 40 THEN 'ack' WHEN n < \(count) / 10 THEN 'hints.fcm.bench'
                                   ELSE 'hints.apns.production.bench' END AS k
                      FROM generate_series(1, \(count)) n) l
              JOIN someone s ON s.n = l.n / 100 ORDER BY l.n;
            DROP TABLE someone
            """, within: .seconds(900))
        try await database.script("VACUUM (ANALYZE) delivery.dead_letter", within: .seconds(900))
        try await database.script("CHECKPOINT", within: .seconds(900))
        let row = try await database.query(
            """
            SELECT dead_letter_id, device_id, job_id, recorded_at FROM delivery.dead_letter
             WHERE reason = 'exhausted' AND dead_letter_id >= \(Int64(count / 2)) ORDER BY dead_letter_id LIMIT 1
            """, within: .seconds(60)
        ).one()
        return Sample(
            id: try row["dead_letter_id"], device: try row["device_id"], job: try row["job_id"],
            middle: try row["recorded_at"])
    }
}
