import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

extension RunningStack {
    /// Requests for a push that a provider accepted.
    func acceptedPushes() async throws -> [ProviderControl.Request] {
        try await stack.control.journal().filter {
            $0.status == 200 && ($0.path.hasPrefix("/3/device/") || $0.path.hasSuffix("/messages:send"))
        }
    }

    /// What was sent, one text a (job, phone); twice the same text is an alert that rang twice.
    func sentEntries() async throws -> [String] {
        try await acceptedPushes().map { request in
            let body = try JSONValue(parsing: request.body)
            let message = body["message"]
            let token = message?["token"]?.string ?? message?["fid"]?.string ?? request.path
            return "\(token) \(body["jobId"]?.string ?? message?["data"]?["jobId"]?.string ?? "?")"
        }
    }

    /// Waits until the recorder noted the acceptance of every hint of `jobs`.
    func expectAllAccepted(_ jobs: [String]) async throws {
        let connection = try await Connection.open(ConnectionSettings(url: stack.site.databaseURL))
        let accepted = try await eventually(within: .seconds(20)) {
            let open: Int = try await connection.query(
                "SELECT count(*) AS count FROM delivery.push_outbox WHERE job_id = ANY(\(jobs)::uuid[]) AND state <> 'accepted'"
            ).one()["count"]
            return open == 0
        }
        await connection.close()
        #expect(accepted, "not every hint was accepted")
    }

    /// Whether so many downstream messages come to the integrator, each counted once.
    func integratorHas(_ count: Int) async throws -> Bool {
        try await eventually {
            Set(stack.tap.sightings.filter { $0.type == "downstream.v1" }.map(\.messageID)).count == count
        }
    }

    /// Every message that moved on the broker is what its schema says.
    func expectValidMessages() throws {
        let sightings = stack.tap.sightings
        let types = Set(sightings.map(\.type))
        #expect(types.isSuperset(of: ["hint.v1", "outcome.v1", "ack.v1", "downstream.v1", "job.completed.v1"]))
        for sighting in sightings {
            #expect(throws: Never.self, "\(sighting.type) on \(sighting.exchange)") {
                try JSONSchema.ofMessage(sighting.type).check(JSONValue(parsing: sighting.body))
            }
        }
    }
}
