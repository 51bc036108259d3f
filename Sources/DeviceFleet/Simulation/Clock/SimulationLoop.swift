import Delivery
import Synchronization

/// One thread for all tasks of a simulation. Which of the tasks that can run is next is drawn from a seed, and time stands
/// still while one can: so a seed is a schedule, and the same one again is the same schedule.
final class SimulationLoop: TaskExecutor {
    private struct Timer {
        var time: Int64
        var number: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Int64
        var random: SplitMix64
        var ready: [UnownedJob] = []
        /// Latest first.
        var timers: [Timer] = []
        var numbers = 0
        var isClosing = false
        var isDone = false
    }

    private let state: Mutex<State>

    /// `start` in epoch milliseconds.
    init(seed: UInt64, start: Int64 = 1_790_000_000_000) {
        state = Mutex(State(now: start, random: SplitMix64(seed: seed)))
    }

    var now: Int64 { state.withLock { $0.now } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// Runs the body and all that it begins; false if everything waits for something that never comes. Whatever is left when
    /// the body is over is let go: every pause ends at once.
    func run(_ body: @escaping @Sendable () async -> Void) -> Bool {
        Task(executorPreference: self) {
            await body()
            self.state.withLock { $0.isDone = true }
        }
        var isAlive = true
        while isAlive, !state.withLock({ $0.isDone }) { isAlive = step() }
        let left = state.withLock { state in
            state.isClosing = true
            defer { state.timers = [] }
            return state.timers
        }
        for timer in left { timer.continuation.resume() }
        while step() {}
        return isAlive
    }

    private func step() -> Bool {
        let next = state.withLock { state -> UnownedJob? in
            guard !state.ready.isEmpty else { return nil }
            let index = Int(state.random.next() % UInt64(state.ready.count))
            state.ready.swapAt(index, state.ready.count - 1)
            return state.ready.removeLast()
        }
        if let next {
            next.runSynchronously(on: asUnownedTaskExecutor())
            return true
        }
        let timer = state.withLock { state -> Timer? in
            guard let timer = state.timers.popLast() else { return nil }
            state.now = timer.time
            return timer
        }
        timer?.continuation.resume()
        return timer != nil
    }

    func sleep(until time: Int64) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isClosing || time <= state.now { return true }
                state.numbers += 1
                let timer = Timer(time: time, number: state.numbers, continuation: continuation)
                // From the end, because most pauses are short.
                var index = state.timers.count
                while index > 0, state.timers[index - 1].time <= time { index -= 1 }
                state.timers.insert(timer, at: index)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
