import FoundationEssentials
import Postgres

/// What PostgreSQL, which has the last word, says about jobs.
enum DatabaseEvents {
    static func read(_ connection: Connection) async throws -> [TimelineEvent] {
        let rows = try await connection.query(
            """
            SELECT 'acknowledged' AS step, job_id::text AS job, device_id::text AS device, coalesce(origin, '') AS detail,
                   delivery.milliseconds(finished_at) AS at
            FROM delivery.job_device WHERE state = 'acknowledged'
            UNION ALL
            SELECT 'fanned out', job_id::text, '', '', delivery.milliseconds(fanned_out_at)
            FROM delivery.downstream_submission WHERE fanned_out_at IS NOT NULL
            UNION ALL
            SELECT 'job complete', job_id::text, '', '', delivery.milliseconds(completed_at)
            FROM delivery.generation_job WHERE completed_at IS NOT NULL
            ORDER BY at
            """)
        return try rows.compactMap { row in
            let device: String = try row["device"]
            let at: Int64 = try row["at"]
            guard let step = TimelineEvent.Step(rawValue: try row["step"]) else { return nil }
            return TimelineEvent(
                step, at: Date(timeIntervalSince1970: Double(at) / 1000), job: try row["job"],
                device: device.isEmpty ? nil : device, detail: try row["detail"])
        }
    }
}
