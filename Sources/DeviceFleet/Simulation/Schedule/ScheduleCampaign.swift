import Synchronization

/// Many random schedules, one for each seed from the first on, on all processors.
public struct ScheduleCampaign: Sendable {
    public struct Report: Sendable {
        public var schedules = 0
        public var requests = 0
        public var jobs = 0
        /// Of all histories together, in whatever order they were run.
        public var trace: UInt64 = 0
        /// Schedules that broke a promise, by seed.
        public var broken: [RandomSchedule.Report] = []
    }

    public var seed: UInt64
    public var count: Int
    public var defects: Set<PlantedDefect> = []
    /// Ends soon after the first broken one.
    public var stopsEarly = false
    /// See `RandomSchedule`.
    public var log: (@Sendable (String) -> Void)?
    /// Every so many schedules one is run with alerts and without, and compared (I-22b).
    public var comparesEvery: UInt64 = 10

    public init(seed: UInt64, count: Int) {
        self.seed = seed
        self.count = count
    }

    /// `progress` gets the number of schedules done.
    public func run(threads: Int = 2, progress: @escaping @Sendable (Int) -> Void = { _ in }) async -> Report {
        let shared = Shared()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    while true {
                        let index = shared.state.withLock { state -> Int? in
                            let isOver = stopsEarly && !state.report.broken.isEmpty
                            guard state.next < count, !isOver else { return nil }
                            defer { state.next += 1 }
                            return state.next
                        }
                        guard let index else { return }
                        let found = one(seed &+ UInt64(index))
                        let done = shared.state.withLock { state -> Int in
                            state.report.schedules += 1
                            state.report.requests += found.requests
                            state.report.jobs += found.jobs
                            state.report.trace ^= found.trace
                            if !found.violations.isEmpty { state.report.broken.append(found) }
                            return state.report.schedules
                        }
                        progress(done)
                        // Other work of the process gets its turn.
                        await Task.yield()
                    }
                }
            }
        }
        return shared.state.withLock { $0.report }
    }

    private final class Shared: Sendable {
        let state = Mutex((next: 0, report: Report()))
    }

    /// The schedule of one seed.
    public func one(_ seed: UInt64) -> RandomSchedule.Report {
        var schedule = RandomSchedule(seed: seed)
        schedule.defects = defects
        schedule.log = log
        guard comparesEvery > 0, seed % comparesEvery == 0 else { return schedule.run() }
        schedule.reenrols = false
        var report = schedule.run()
        schedule.isMuted = true
        let muted = schedule.run()
        report.violations += muted.violations.map { "\($0) (with alerts off)" }
        if report.finalState != muted.finalState {
            let difference = Set(report.finalState).symmetricDifference(muted.finalState).sorted().prefix(2)
            report.violations.append(
                "I-22b: what is durable depends on whether alerts are shown: \(difference.joined(separator: " / "))")
        }
        return report
    }
}
