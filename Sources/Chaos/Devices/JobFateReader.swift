import AMQP
import Delivery
import LocalStack
import Messages
import Postgres
import Storage

/// Reads what became of jobs once nothing moves any more.
struct JobFateReader {
    let stage: DeviceStage

    /// In the order of `jobs`.
    func read(_ jobs: [Identifier]) async throws -> [JobFate] {
        var fates: [Identifier: JobFate] = [:]
        for row in try await stage.database.query(
            """
            SELECT j.job_id, j.completed_at IS NOT NULL AS complete,
                   (SELECT count(*) FROM delivery.downstream_submission s WHERE s.job_id = j.job_id) AS submissions,
                   (SELECT count(*) FROM delivery.lease_event e WHERE e.job_id = j.job_id AND e.kind = 'submitted')
                       AS submitted,
                   count(*) FILTER (WHERE d.state = 'acknowledged') AS acknowledged,
                   count(DISTINCT d.evidence) AS receipts
              FROM delivery.generation_job j JOIN delivery.job_device d USING (job_id)
             WHERE j.job_id = ANY (\(jobs)) GROUP BY j.job_id, j.completed_at
            """)
        {
            let job: Identifier = try row["job_id"]
            fates[job] = JobFate(
                job: job, submissions: try row["submissions"], submitted: try row["submitted"],
                acknowledged: try row["acknowledged"], receipts: try row["receipts"], isComplete: try row["complete"],
                completions: 0)
        }
        var completions: [Identifier: Set<String>] = [:]
        for sighting in stage.stack.tap.sightings {
            if sighting.type == MessageType.downstream.rawValue {
                let message = try DownstreamMessage(decoding: sighting.body)
                fates[message.job]?.effects[message.recipient, default: []].insert(sighting.messageID)
            } else if sighting.type == MessageType.jobCompleted.rawValue {
                completions[try JobCompleted(decoding: sighting.body).job, default: []].insert(sighting.messageID)
            }
        }
        for (job, ids) in completions { fates[job]?.completions = ids.count }
        return jobs.map { fates[$0] ?? JobFate(job: $0, submissions: 0, submitted: 0, isComplete: false) }
    }

    /// Whether no event is left to be published, and the tap has what was.
    func isQuiet() async throws -> Bool {
        guard try await stage.database.query("SELECT count(*) FROM delivery.due").one().only(as: Int.self) == 0 else {
            return false
        }
        let connection = try await AMQP.Connection.open(
            AMQP.ConnectionSettings(url: stage.stack.site.amqpURL), name: "chaos/ask")
        return try await cleaningUp {
            await connection.close()
        } after: {
            for queue in ["coordinator.events", "recorder.acks", Tap.queue] {
                guard let counts = try await connection.counts(of: queue), counts.ready == 0 else { return false }
            }
            return true
        }
    }
}
