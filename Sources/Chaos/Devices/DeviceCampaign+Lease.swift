import Delivery
import DeviceKit
import Postgres
import Storage

extension DeviceCampaign {
    /// L-5: alone, and slower than its lease lasts: accepted late, because nobody else was elected.
    func slowUpload(_ account: String, on stage: DeviceStage) async throws -> Course {
        let phones = try await WakingPhone.enrol(many: 1, account: account, on: stage)
        phones[0].transport.set(.slow(DeviceStage.lease * 1.5))
        let job = try await stage.commit(account: account, recipients: Self.recipients)
        var course = Course(jobs: [job], devices: 1, acknowledging: 1)
        try await phones[0].wake(job)
        _ = try await completes(job, by: phones, on: stage)
        let history = try await history(of: job, on: stage)
        if history != ["granted 1", "regranted 1", "submitted 1"] {
            course.faults.append("the lease's history is \(history.joined(separator: ", "))")
        }
        return course
    }

    /// L-3: the elected device dies after all others acknowledged, and the next sync of another does the fan-out. The dead
    /// one is revoked in the end, as its owner does who lost it.
    func electedDies(_ account: String, on stage: DeviceStage) async throws -> Course {
        let phones = try await WakingPhone.enrol(many: 4, account: account, on: stage)
        let (elected, others) = (phones[0], phones[1...])
        elected.transport.set(.deadly)
        let job = try await stage.commit(account: account, recipients: Self.recipients)
        var course = Course(jobs: [job], devices: phones.count, acknowledging: others.count)
        // It ends with the death of its phone.
        _ = try? await elected.wake(job)
        for phone in others { try await phone.wake(job) }
        if try await !stage.comesTrue(within: patience, { try await acknowledged(job, on: stage) == others.count }) {
            course.faults.append("the others have not acknowledged")
        }
        if try await !stage.comesTrue(within: patience, { try await isLeaseOver(job, on: stage) }) {
            course.faults.append("the dead device's lease does not end")
        }
        try await phones[1].device.foreground()
        let history = try await history(of: job, on: stage)
        if history != ["granted 1", "expired 1", "granted 2", "submitted 2"] {
            course.faults.append("after one sync the lease's history is \(history.joined(separator: ", "))")
        }
        _ = try await stage.database.query("SELECT * FROM delivery.revoke_device(\(elected.id), 'campaign')")
        _ = try await completes(job, by: Array(others), on: stage)
        return course
    }

    /// More than fits into one request: every recipient's ciphertext goes ahead by itself.
    func largeSubmission(_ account: String, on stage: DeviceStage) async throws -> Course {
        let phones = try await WakingPhone.enrol(many: 2, account: account, on: stage)
        let recipients = (1...12).map { "recipient-\($0)" }
        let job = try await stage.commit(account: account, recipients: recipients, size: 120 << 10)
        var course = Course(jobs: [job], devices: 2, acknowledging: 2, recipients: recipients)
        for phone in phones { try await phone.wake(job) }
        _ = try await completes(job, by: phones, on: stage)
        let parts: Int = try await stage.database.query("SELECT count(*) AS count FROM delivery.fanout_part").one()[
            "count"]
        if parts > 0 { course.faults.append("\(parts) parts are left") }
        course.counts["partsSent"] = phones.reduce(0) { $0 + $1.transport.parts }
        if course.counts["partsSent", default: 0] < recipients.count {
            course.faults.append("the submission did not go in parts")
        }
        return course
    }

    private func history(of job: Identifier, on stage: DeviceStage) async throws -> [String] {
        try await stage.database.query(
            "SELECT kind || ' ' || epoch AS event FROM delivery.lease_event WHERE job_id = \(job) ORDER BY event_id"
        ).map { try $0["event"] }
    }

    private func acknowledged(_ job: Identifier, on stage: DeviceStage) async throws -> Int {
        try await stage.database.query(
            "SELECT count(*) AS count FROM delivery.job_device WHERE job_id = \(job) AND state = 'acknowledged'"
        ).one()["count"]
    }

    private func isLeaseOver(_ job: Identifier, on stage: DeviceStage) async throws -> Bool {
        try await stage.database.query(
            "SELECT expires_at < clock_timestamp() AS over FROM delivery.fanout_lease WHERE job_id = \(job)"
        ).one()["over"]
    }
}
