import DeviceKit

/// Android's scheduler of unique work, as WorkManager offers it: durable over processes and restarts, and free to let
/// everything wait.
public struct WorkScheduler: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var work: UniqueWork
        var isRunning = false
        /// Stopped after this, if it runs.
        var until: Int64 = 0
        var notBefore: Int64 = 0
        var attempts = 0
        /// Came in while this one was there, to run after it.
        var next: UniqueWork?
    }

    /// What the system allows at a moment.
    public struct Conditions: Equatable, Sendable {
        public var isOnline: Bool
        public var isDozing: Bool
        public var mayRun: Bool
        /// The owner looks at the app, or a message of high priority came a moment ago.
        public var isExempt: Bool
    }

    /// Longest run of a worker.
    public static let longestRun: Int64 = 600_000
    /// Expedited runs a day; further ones are run as ordinary work.
    public static let dailyQuota = 30

    var entries: [Entry] = []
    private var expeditedRuns: [Int64] = []
    /// Planted: a second request stops the first (`ExistingWorkPolicy.REPLACE`).
    let replaces: Bool
    /// How often it did, while work was under way.
    private(set) var replacements = 0

    public init(replaces: Bool = false) { self.replaces = replaces }

    var names: [String] { entries.map(\.work.name) }
    var runningNames: [String] { entries.filter(\.isRunning).map(\.work.name) }

    /// Returns the names of workers that are stopped by it.
    mutating func enqueue(_ work: UniqueWork) -> [String] {
        guard let index = entries.firstIndex(where: { $0.work.name == work.name }) else {
            entries.append(Entry(work: work))
            return []
        }
        if replaces {
            let wasRunning = entries[index].isRunning
            entries[index] = Entry(work: work)
            if wasRunning { replacements += 1 }
            return wasRunning ? [work.name] : []
        }
        if work.policy == .appendOrReplace { entries[index].next = work }
        return []
    }

    /// Starts what may run; returns its names.
    mutating func start(_ conditions: Conditions, now: Int64) -> [String] {
        guard conditions.isOnline, conditions.mayRun else { return [] }
        expeditedRuns.removeAll { $0 <= now - 86_400_000 }
        var started: [String] = []
        for index in entries.indices where !entries[index].isRunning && entries[index].notBefore <= now {
            let hasQuota = entries[index].work.isExpedited && expeditedRuns.count < WorkScheduler.dailyQuota
            guard !conditions.isDozing || conditions.isExempt || hasQuota else { continue }
            if entries[index].work.isExpedited, !conditions.isExempt, hasQuota { expeditedRuns.append(now) }
            entries[index].isRunning = true
            entries[index].until = now + WorkScheduler.longestRun
            started.append(entries[index].work.name)
        }
        return started
    }

    mutating func finish(_ name: String, _ result: WorkResult, now: Int64) {
        guard let index = entries.firstIndex(where: { $0.work.name == name && $0.isRunning }) else { return }
        if result == .retry {
            entries[index].isRunning = false
            entries[index].attempts += 1
            let backoff = min(Int64(30_000) << Int64(min(entries[index].attempts - 1, 12)), 18_000_000)
            entries[index].notBefore = now + backoff
        } else if let next = entries[index].next {
            entries[index] = Entry(work: next)
        } else {
            entries.remove(at: index)
        }
    }

    /// The system takes the execution away from those it names, all of them without names; they run again later.
    mutating func stop(_ names: [String]? = nil) -> [String] {
        var stopped: [String] = []
        for index in entries.indices where entries[index].isRunning {
            guard names?.contains(entries[index].work.name) ?? true else { continue }
            entries[index].isRunning = false
            stopped.append(entries[index].work.name)
        }
        return stopped
    }

    func overdue(now: Int64) -> [String] { entries.filter { $0.isRunning && $0.until <= now }.map(\.work.name) }

    /// When something changes by time alone.
    func nextTime(after now: Int64) -> Int64? {
        entries.map { $0.isRunning ? $0.until : $0.notBefore }.filter { $0 > now }.min()
    }
}
