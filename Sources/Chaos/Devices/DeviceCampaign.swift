import Delivery
import DeviceKit
import Postgres
import Storage

/// Devices of one account and one trouble that they have, on a stage that is at work. Each uses an account of its own.
public struct DeviceCampaign: Sendable {
    public let trouble: DeviceTrouble
    /// Jobs for which all wake together.
    public var rounds = 1000
    public var devices = 32
    /// Until a job has to have its end.
    public var patience: Duration = .seconds(60)

    static let recipients = ["archive", "ledger"]

    public init(_ trouble: DeviceTrouble) { self.trouble = trouble }

    /// Throws if the stage itself fails; broken promises are in the report.
    public func run(on stage: DeviceStage) async throws -> DeviceReport {
        let began = ContinuousClock.now
        let account = "\(trouble)-\(Identifier.random())"
        let course: Course
        switch trouble {
        case .wakeTogether: course = try await wakeTogether(account, on: stage)
        case .slowUpload: course = try await slowUpload(account, on: stage)
        case .electedDies: course = try await electedDies(account, on: stage)
        case .largeSubmission: course = try await largeSubmission(account, on: stage)
        }
        let reader = JobFateReader(stage: stage)
        var faults = course.faults
        if try await !stage.comesTrue(within: patience, reader.isQuiet) { faults.append("messages are left") }
        let fates = try await reader.read(course.jobs)
        faults += fates.flatMap { $0.faults(devices: course.acknowledging, recipients: course.recipients) }
        var counts = course.counts
        counts["submissions"] = fates.reduce(0) { $0 + $1.submissions }
        counts["acknowledgements"] = fates.reduce(0) { $0 + $1.acknowledged }
        counts["effects"] = fates.reduce(0) { $0 + $1.effects.values.reduce(0) { $0 + $1.count } }
        return DeviceReport(
            trouble: trouble, rounds: course.jobs.count, devices: course.devices, took: .now - began, faults: faults,
            counts: counts)
    }

    /// What a campaign did, before anybody looks at what became of its jobs.
    struct Course {
        var jobs: [Identifier]
        var devices: Int
        /// How many have to have acknowledged each job.
        var acknowledging: Int
        var recipients = DeviceCampaign.recipients
        var faults: [String] = []
        var counts: [String: Int] = [:]
    }

    private func wakeTogether(_ account: String, on stage: DeviceStage) async throws -> Course {
        let phones = try await WakingPhone.enrol(many: devices, account: account, on: stage)
        var course = Course(jobs: [], devices: devices, acknowledging: devices)
        var waits: [Duration] = []
        for _ in 0..<rounds {
            let job = try await stage.commit(account: account, recipients: Self.recipients)
            course.jobs.append(job)
            let began = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for phone in phones { group.addTask { try await phone.wake(job) } }
                try await group.waitForAll()
            }
            guard try await completes(job, by: phones, on: stage) else { break }
            waits.append(.now - began)
        }
        waits.sort()
        if !waits.isEmpty {
            course.counts["millisecondsToCompletionMedian"] = Int(waits[waits.count / 2] / .milliseconds(1))
            course.counts["millisecondsToCompletionLongest"] = Int(waits[waits.count - 1] / .milliseconds(1))
        }
        return course
    }

    /// Whether the job completes while the phones do what they have due.
    func completes(_ job: Identifier, by phones: [WakingPhone], on stage: DeviceStage) async throws -> Bool {
        try await stage.comesTrue(within: patience) {
            let isComplete: Bool = try await stage.database.query(
                "SELECT completed_at IS NOT NULL AS complete FROM delivery.generation_job WHERE job_id = \(job)"
            ).one()["complete"]
            guard !isComplete else { return true }
            for phone in phones { try await phone.device.work() }
            return false
        }
    }
}
