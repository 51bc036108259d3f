import Delivery
import DeviceKit

/// What the order of a phone's own entries may not be.
enum PhoneOrder {
    /// For any job.
    static func contradictions(_ record: PhoneRecord, _ job: Identifier) -> [String] {
        let steps = record.steps(of: job)
        var found: [String] = []
        func first(_ step: JournalEntry.Step) -> Int? { steps.firstIndex { $0.step == step } }
        if let sent = first(.ackSent), first(.persisted).map({ $0 > sent }) ?? true {
            found.append("phone \(record.phone) acknowledged before the receipt was stored")
        }
        // The elected one: whoever was granted the lease submits first.
        if let granted = first(.leaseGranted), let sent = first(.ackSent) {
            let ended = steps.firstIndex { [.submitted, .fanoutOver, .leaseLost, .fanoutGivenUp].contains($0.step) }
            if granted < sent, ended.map({ $0 > sent }) ?? true {
                found.append("phone \(record.phone) was elected and acknowledged before its submission")
            }
        }
        let submissions = steps.filter { $0.step == .submitSent }
        for (epoch, sent) in Dictionary(grouping: submissions, by: \.epoch) where Set(sent.map(\.digest)).count > 1 {
            found.append("phone \(record.phone) submitted different ciphertexts in epoch \(epoch ?? 0)")
        }
        let receipts = Set(steps.filter { $0.step == .persisted }.map(\.digest))
        if receipts.count > 1 { found.append("phone \(record.phone) stored different receipts") }
        return found
    }

    /// For a job that a hint named while another one was pending.
    static func hintContradictions(_ record: PhoneRecord, _ job: Identifier) -> [String] {
        var found: [String] = []
        let entries = record.all
        let hint = entries.firstIndex { if case .delivered("\(job)") = $0 { true } else { false } }
        let end = entries.firstIndex { entry in
            if case .step(let step) = entry { step.step == .acknowledged && step.job == job } else { false }
        }
        if let end {
            let start = min(hint ?? end, end)
            let calls = entries[start..<end].compactMap { entry -> String? in
                if case .call(_, let path, _) = entry { path } else { nil }
            }
            let others = calls.filter {
                $0.hasPrefix("/v1/sync") || $0.hasPrefix("/v1/jobs/") && !$0.contains("\(job)")
            }
            if !others.isEmpty {
                found.append("phone \(record.phone) asked for more than the hinted job: \(others[0])")
            }
            let fetches = calls.filter { $0 == "/v1/jobs/\(job)" }
            if fetches.count != 1 {
                found.append("phone \(record.phone) fetched the hinted job \(fetches.count) times")
            }
        } else {
            found.append("phone \(record.phone) did not acknowledge the hinted job")
        }
        let stops = entries.count { if case .workStopped(let name) = $0 { name == "gen-\(job)" } else { false } }
        if stops > 0 { found.append("phone \(record.phone): a second hint stopped the work that the first began") }
        return found
    }
}
