import Delivery
import Postgres

/// What may be the last thing that a job waits for (decision 7).
enum LastStep: String, CaseIterable {
    case firstAcknowledges, secondAcknowledges, firstGivesUp, firstSubmits, firstIsRevoked, secondIsRevoked
    case jobIsCancelled, jobExpires, fanoutEnds

    /// The devices whose assignments it ends or whose calls it is, by number.
    var devices: Set<Int> {
        switch self {
        case .firstAcknowledges, .firstGivesUp, .firstIsRevoked: [0]
        case .secondAcknowledges, .secondIsRevoked: [1]
        case .jobIsCancelled, .jobExpires: [0, 1]
        case .firstSubmits, .fanoutEnds: []
        }
    }

    /// Its transactions, one after the other, each by the role that makes it.
    func transactions(on job: OpenJob) -> [(role: String, statement: Statement)] {
        func recorded(_ device: Identifier, _ result: String) -> [(role: String, statement: Statement)] {
            [
                (
                    "md_recorder",
                    """
                    SELECT * FROM delivery.record_acks(\([job.id]), \([device]), \([result]), \(["hint"]),
                        \([[UInt8]?.none]), \([String?.none]))
                    """
                )
            ]
        }
        func revoked(_ device: Identifier) -> [(role: String, statement: Statement)] {
            [
                ("md_gateway", "SELECT * FROM delivery.revoke_device(\(device), 'test')"),
                ("md_coordinator", "SELECT * FROM delivery.finish_revocation(\(device), '0', 100)"),
            ]
        }
        return switch self {
        case .firstAcknowledges: recorded(job.devices[0], "acknowledged")
        case .secondAcknowledges: recorded(job.devices[1], "acknowledged")
        case .firstGivesUp: recorded(job.devices[0], "failed")
        case .firstSubmits: [("md_gateway", job.submission(by: 0, epoch: 1))]
        case .firstIsRevoked: revoked(job.devices[0])
        case .secondIsRevoked: revoked(job.devices[1])
        case .jobIsCancelled:
            [
                ("md_gateway", "SELECT * FROM delivery.cancel_job(\(job.id), 'test')"),
                ("md_coordinator", "SELECT * FROM delivery.finish_cancellations(\(job.id), '0', 100)"),
            ]
        case .jobExpires: [("md_coordinator", "SELECT * FROM delivery.expire_jobs(100)")]
        case .fanoutEnds: [("md_coordinator", "SELECT delivery.finish_fanout(\(job.id), NULL)")]
        }
    }
}

/// Two last steps of one job that happen at once; a fan-out ends only after its submission.
struct StepPair {
    let steps: [LastStep]

    static let all: [StepPair] = LastStep.allCases.flatMap { first in
        LastStep.allCases.map { StepPair(steps: [first, $0]) }
    }.filter { !($0.has(.firstSubmits) && $0.has(.fanoutEnds)) }

    func has(_ step: LastStep) -> Bool { steps.contains(step) }

    /// Whose assignments are not final before.
    var pendingDevices: Set<Int> { steps.reduce(into: []) { $0.formUnion($1.devices) } }

    /// How the job may end.
    var ends: Set<String> {
        var ends: Set<String> = ["completed"]
        if has(.jobIsCancelled) { ends.insert("cancelled") }
        if has(.jobExpires), has(.firstSubmits) { ends.insert("expired") }
        return ends
    }

    var name: String { steps.map(\.rawValue).joined(separator: " then ") }
}

/// A job of two devices that lacks nothing but the steps of a pair.
struct OpenJob {
    let id: Identifier
    let devices: [Identifier]
    let nonce = Identifier.random()

    func submission(by device: Int, epoch: Int) -> Statement {
        """
        SELECT * FROM delivery.submit_fanout(\(devices[device]), \(id), \(epoch), \(nonce),
            \([UInt8](repeating: 7, count: 32)), \(["shop"]), \([[UInt8]("x".utf8)]), '90 seconds', true)
        """
    }

    /// As the sweeps and the next device that comes for the fan-out do it.
    var whatIsLeft: [(role: String, statement: Statement)] {
        let attempt = Identifier.random()
        return [("md_coordinator", "SELECT * FROM delivery.finish_cancellations(\(id), '0', 100)")]
            + devices.map { ("md_coordinator", "SELECT * FROM delivery.finish_revocation(\($0), '0', 100)") }
            + devices.map { device in
                (
                    "md_gateway",
                    """
                    SELECT s.* FROM delivery.acquire_lease(\(device), \(id), \(attempt), '90 s', '900 s', '0', '0') l,
                        delivery.submit_fanout(\(device), \(id), l.epoch, l.nonce, \([UInt8](repeating: 7, count: 32)),
                            \(["shop"]), \([[UInt8]("x".utf8)]), '90 seconds', true) s
                     WHERE l.outcome = 'granted'
                    """
                )
            } + [
                (
                    "md_coordinator",
                    """
                    SELECT delivery.finish_fanout(job_id, NULL) FROM delivery.downstream_submission
                     WHERE job_id = \(id) AND fanned_out_at IS NULL
                    """
                ), ("md_coordinator", "SELECT * FROM delivery.expire_jobs(100)"),
            ]
    }
}
