import CLinux
import Glibc
import Synchronization

/// A thread that is an actor's executor and lets one or more C libraries work between the actor's jobs.
///
/// Each round of the loop runs the jobs that were enqueued, tells the owners of readable or writable descriptors, then
/// gives every registered `ReactorSource` one `turn()`; it then sleeps in `epoll_wait` until a descriptor is ready, a
/// job arrives or the earliest deadline that a turn named. Everything but `enqueue`, `wake` and `stop` is called on the
/// thread itself, that is, from an actor whose `unownedExecutor` this is.
public final class ReactorThread: SerialExecutor, @unchecked Sendable {
    /// More wait for the next round, so that what the first of them want written is on its way meanwhile.
    private static let jobsOfRound = 64

    private struct Job {
        let job: UnownedJob
        /// Of the tasks that prefer this executor; nil for those of the actors that live here.
        let preferred: UnownedTaskExecutor?
    }

    /// Only a sleeping thread is woken through its descriptor; one that is awake looks before it sleeps.
    private enum Wakefulness: UInt8, AtomicRepresentable {
        case asleep
        case awake
        /// Somebody wants another round.
        case wanted
    }

    // @unchecked: `jobs` and `state` are synchronised; all other fields are touched by the thread alone.
    private let jobs = Mutex<[Job]>([])
    private let state = Atomic<Wakefulness>(.awake)
    private let stopping = Atomic<Bool>(false)
    private let wakeDescriptor: Int32
    private let epoll: Int32
    private let thread = Mutex<pthread_t?>(nil)
    private let name: String

    private var watched: [Int32: (Readiness) -> Void] = [:]
    private var sources: [ObjectIdentifier: any ReactorSource] = [:]

    /// Starts the thread. `name` is what `top -H` shows (15 bytes are kept).
    public init(name: String) {
        self.name = name
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(wakeDescriptor >= 0 && epoll >= 0, "no descriptor left for a reactor thread")
        _ = clinux_epoll_control(epoll, EPOLL_CTL_ADD, wakeDescriptor, EPOLLIN.rawValue)
        // The thread holds the reactor until `stop()`, so that an actor's executor can't go away under a job.
        let retained = Unmanaged.passRetained(self).toOpaque()
        thread.withLock { slot in
            var created = pthread_t()
            let failure = pthread_create(&created, nil, runReactor, retained)
            precondition(failure == 0, "the system refused another thread")
            pthread_detach(created)
            slot = created
        }
    }

    deinit {
        close(wakeDescriptor)
        close(epoll)
    }

    // MARK: From any thread

    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(Job(job: UnownedJob(job), preferred: nil))
    }

    /// Of a task that wants to run here wherever it is not isolated to an actor that lives elsewhere.
    func enqueue(_ job: consuming ExecutorJob, preferring executor: UnownedTaskExecutor) {
        enqueue(Job(job: UnownedJob(job), preferred: executor))
    }

    private func enqueue(_ job: Job) {
        jobs.withLock { $0.append(job) }
        wake()
    }

    /// Makes the loop take another round soon.
    public func wake() {
        let before = state.exchange(.wanted, ordering: .sequentiallyConsistent)
        if before == .asleep { _ = eventfd_write(wakeDescriptor, 1) }
    }

    /// Ends the thread after the jobs it already has. Later jobs of its actors would never run: call it only when the
    /// last owner has closed. Called by owners at the end of their `close()`.
    public func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        wake()
    }

    public func isIsolatingCurrentContext() -> Bool? {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } }
    }

    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the reactor thread \(name)")
    }

    // MARK: On the thread

    /// Gives `source` a turn in every round from now on; it is held until `remove`.
    public func add(_ source: any ReactorSource) { sources[ObjectIdentifier(source)] = source }

    public func remove(_ source: any ReactorSource) { sources[ObjectIdentifier(source)] = nil }

    /// Calls `ready` on the thread whenever `descriptor` is ready (level-triggered). Watching it again replaces interest
    /// and handler. The caller unwatches before it closes the descriptor.
    public func watch(_ descriptor: Int32, for interest: Readiness, ready: @escaping (Readiness) -> Void) {
        let operation = watched.updateValue(ready, forKey: descriptor) == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        if clinux_epoll_control(epoll, operation, descriptor, interest.events) != 0 {
            // The library may have closed and reopened the same number behind our back.
            let other = operation == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
            _ = clinux_epoll_control(epoll, other, descriptor, interest.events)
        }
    }

    public func unwatch(_ descriptor: Int32) {
        if watched.removeValue(forKey: descriptor) != nil {
            _ = clinux_epoll_control(epoll, EPOLL_CTL_DEL, descriptor, 0)
        }
    }

    fileprivate func loop() {
        clinux_name_thread(String(name.utf8.prefix(15)) ?? "reactor")
        thread.withLock { $0 = pthread_self() }
        let me = asUnownedSerialExecutor()
        var batch: [Job] = []
        var next = 0
        var events = [epoll_event](repeating: epoll_event(), count: 128)
        var deadline: ContinuousClock.Instant? = .now
        while true {
            let mayRest = state.compareExchange(
                expected: .awake, desired: .asleep, ordering: .sequentiallyConsistent
            ).exchanged
            let rest = mayRest ? Self.milliseconds(until: deadline) : 0
            let count = epoll_wait(epoll, &events, Int32(events.count), rest)
            // Before the jobs and turns: what comes after them asks for another round.
            state.store(.awake, ordering: .sequentiallyConsistent)
            for index in 0..<Int(max(0, count)) { dispatch(&events[index]) }
            let isFresh = next == batch.count
            if isFresh {
                batch.removeAll(keepingCapacity: true)
                next = 0
                jobs.withLock { swap(&$0, &batch) }
            }
            let end = min(batch.count, next + Self.jobsOfRound)
            while next < end {
                let job = batch[next]
                next += 1
                if let preferred = job.preferred {
                    job.job.runSynchronously(isolatedTo: me, taskExecutor: preferred)
                } else {
                    job.job.runSynchronously(on: me)
                }
            }
            // Those that are left, or that came while some were left.
            if next < batch.count || !isFresh { state.store(.wanted, ordering: .sequentiallyConsistent) }
            deadline = nil
            for source in sources.values {
                if let wanted = source.turn() { deadline = deadline.map { min($0, wanted) } ?? wanted }
            }
            if stopping.load(ordering: .sequentiallyConsistent), next == batch.count, jobs.withLock({ $0.isEmpty }) {
                return
            }
        }
    }

    private func dispatch(_ event: inout epoll_event) {
        let descriptor = clinux_epoll_descriptor(&event)
        if descriptor == wakeDescriptor {
            var value: eventfd_t = 0
            _ = eventfd_read(wakeDescriptor, &value)
        } else if let ready = watched[descriptor] {
            ready(Readiness(events: event.events))
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = deadline - .now
        guard left > .zero else { return 0 }
        // Rounded up, so that the round after the sleep finds the deadline passed.
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(min(milliseconds, 60_000))
    }
}

/// `@convention(c)` entry point: takes over the reference that `init` made.
private func runReactor(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<ReactorThread>.fromOpaque(context!).takeRetainedValue().loop()
    return nil
}
