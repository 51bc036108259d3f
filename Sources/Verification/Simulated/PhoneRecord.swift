import Delivery
import DeviceFleet
import DeviceKit
import Synchronization

/// What one simulated phone did, in its order: the kit's journal, its calls, and what its system did with it.
final class PhoneRecord: Journal {
    enum Entry: Sendable {
        case step(JournalEntry)
        case call(method: String, path: String, status: Int?)
        /// A push reached the phone; the job that it names.
        case delivered(String)
        case workStopped(String)
        case explanation, prompt, alert, crash
    }

    let phone: String
    private let entries = Mutex<[(at: Int64, entry: Entry)]>([])
    private let watcher = Mutex<(@Sendable (JournalEntry) -> Void)?>(nil)

    init(phone: String) { self.phone = phone }

    func add(_ entry: Entry) {
        let now = SystemClock().wall()
        entries.withLock { $0.append((now, entry)) }
    }

    func record(_ entry: JournalEntry) {
        add(.step(entry))
        watcher.withLock { $0 }?(entry)
    }

    /// Called after each entry of the kit, on its thread.
    func watch(_ body: (@Sendable (JournalEntry) -> Void)?) { watcher.withLock { $0 = body } }

    var all: [Entry] { entries.withLock { $0.map(\.entry) } }

    func count(_ isMeant: (Entry) -> Bool) -> Int { all.count { isMeant($0) } }

    var steps: [JournalEntry] { all.compactMap { if case .step(let step) = $0 { step } else { nil } } }

    func steps(of job: Identifier) -> [JournalEntry] { steps.filter { $0.job == job } }

    func events(of job: Identifier) -> [JobTimeline.Event] {
        entries.withLock { $0 }.compactMap { at, entry in
            switch entry {
            case .step(let step) where step.job == job:
                JobTimeline.Event(
                    at: at, lane: phone, what: step.step.rawValue,
                    detail: [step.epoch.map { "epoch \($0)" } ?? "", step.detail ?? ""].filter { !$0.isEmpty }
                        .joined(separator: " "))
            default: nil
            }
        }
    }
}
