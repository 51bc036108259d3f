public import Delivery
import DeviceKit
public import DeviceStore
import Synchronization

extension InvariantChecker {
    /// The process of a phone started; it has to ask for its push token before anything else is told.
    func launched(_ phone: Int) {
        with(phone) { history, violation in
            if !history.isLaunchAnswered { violation("I-22: a launch did not register for push") }
            history.isLaunchAnswered = false
            history.lastCoalescedSync = nil
            history.repeatsSync = false
        }
    }

    func registered(_ phone: Int) { with(phone) { history, _ in history.isLaunchAnswered = true } }

    func shown(_ effect: NotificationPermission.Effect, on phone: Int) {
        with(phone) { history, violation in
            switch effect {
            case .showExplanation:
                history.explanations += 1
                if history.explanations > 1 { violation("I-22: explained a second time in one installation") }
            case .systemPrompt:
                history.prompts += 1
                if history.prompts > 1 { violation("I-22: prompted a second time in one installation") }
                if history.explanations == 0 { violation("I-22: prompted before it was explained") }
            case .passiveStatus, .registerForPush: break
            }
        }
    }

    func shown(_ alert: ShownAlert, of job: Identifier?, on phone: Int) {
        guard let job, alert.names(job) else { return }
        with(phone) { _, violation in violation("I-6: an alert names its job") }
    }

    /// What is on the disk, at every start and at the end (I-9, I-10).
    public func inspect(_ disk: MemoryImage, of phone: Int) {
        with(phone) { history, violation in
            let receipts = (try? disk.receipts()) ?? []
            var seen: Set<Identifier> = []
            for receipt in receipts {
                if !seen.insert(receipt.job).inserted { violation("I-9: two receipts of \(receipt.job)") }
                if let digest = history.receipts[receipt.job], digest != receipt.digest {
                    violation("I-9: the receipt of \(receipt.job) changed")
                }
                history.receipts[receipt.job] = receipt.digest
            }
            for job in history.receipts.keys where !seen.contains(job) {
                violation("I-9: the receipt of \(job) is gone")
            }
            for job in history.acknowledged where !seen.contains(job) {
                violation("I-10: \(job) is acknowledged, and its receipt is not there")
            }
        }
    }

    /// The gateway accepted that phone's submission of that epoch: its acknowledgement has to come after (I-19).
    public func elected(_ phone: Int, job: Identifier, epoch: Int64) {
        with(phone) { history, violation in
            let lines = history.lines[job] ?? []
            guard let granted = lines.firstIndex(of: .granted(epoch)), lines.contains(.ackTaken) else { return }
            let end = lines[granted...].firstIndex(of: .submitEnded(epoch)) ?? lines.endIndex
            if lines[granted..<end].contains(.ackSent) {
                violation("I-19: the elected device acknowledged \(job) before it submitted")
            }
        }
    }

    /// The account of a phone was reset, with what belongs to it.
    public func forgetAccount(of phone: Int) { with(phone) { history, _ in history.forgetAccount() } }

    /// The app was deleted and installed again, or there is another phone.
    public func forgetInstallation(of phone: Int) { state.withLock { $0.phones[phone] = nil } }
}
