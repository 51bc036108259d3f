import Daemon
import Testing

@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
    @Test func `everybody who waits goes on at the request`() async {
        let shutdown = Shutdown()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await shutdown.wait() } }
            shutdown.request()
        }
        #expect(shutdown.isRequested)
    }

    @Test func `a cancelled wait ends`() async {
        let shutdown = Shutdown()
        let task = Task { await shutdown.wait() }
        task.cancel()
        await task.value
        #expect(!shutdown.isRequested)
    }

    @Test func `a sleep ends at the request`() async {
        let shutdown = Shutdown()
        let task = Task { await shutdown.sleep(for: .seconds(3_600)) }
        shutdown.request()
        #expect(await task.value == false)
    }
}
