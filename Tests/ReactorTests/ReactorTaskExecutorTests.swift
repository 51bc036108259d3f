import Reactor
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReactorTaskExecutorTests {
    @Test func `a task that prefers the thread is there before and after it waits`() async {
        let executor = ReactorTaskExecutor(name: "test")
        let places = await Task(executorPreference: executor) {
            let before = executor.thread.isIsolatingCurrentContext()
            await withUnsafeContinuation { continuation in Task.detached { continuation.resume() } }
            return [before, executor.thread.isIsolatingCurrentContext()]
        }.value
        #expect(places == [true, true])
    }

    @Test func `each of many more jobs than a round has runs`() async {
        let executor = ReactorTaskExecutor(name: "test")
        let sum = await withTaskGroup { group in
            for number in 1...10_000 {
                group.addTask(executorPreference: executor) {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 50_005_000)
    }
}
