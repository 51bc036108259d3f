import Delivery
import Messages
import Postgres

extension Evidence {
    /// Reads it from the stack's database, broker and phones.
    public static func read(_ job: String, of stack: Stack, phones: Phones) async throws -> Evidence {
        let connection = try await Connection.open(ConnectionSettings(url: stack.site.databaseURL))
        do {
            let evidence = try await read(job, connection, stack.tap, phones)
            await connection.close()
            return evidence
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func read(
        _ job: String, _ connection: Connection, _ tap: Tap, _ phones: Phones
    ) async throws -> Evidence {
        let row = try await connection.query(
            """
            SELECT document_type, completed_at IS NOT NULL AS complete, recipients
            FROM delivery.generation_job WHERE job_id = \(job)::uuid
            """
        ).one()
        let devices = try await connection.query(
            """
            SELECT device_id::text AS device, state, coalesce(encode(evidence, 'hex'), '') AS evidence
            FROM delivery.job_device WHERE job_id = \(job)::uuid
            """)
        var states: [String: String] = [:]
        var acknowledged: [String: String] = [:]
        for device in devices {
            let id: String = try device["device"]
            states[id] = try device["state"]
            let evidence: String = try device["evidence"]
            if !evidence.isEmpty { acknowledged[id] = evidence }
        }
        var effects: [String: Set<String>] = [:]
        for sighting in tap.sightings where sighting.type == "downstream.v1" {
            guard let message = try? DownstreamMessage(decoding: sighting.body), message.job.description == job
            else { continue }
            effects[message.recipient, default: []].insert(sighting.messageID)
        }
        return Evidence(
            job: job, documentType: try row["document_type"], isComplete: try row["complete"], states: states,
            acknowledgedEvidence: acknowledged, digests: phones.digests(of: job), effects: effects,
            recipients: try row["recipients"])
    }
}
