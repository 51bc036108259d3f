import Testing

@testable import HTTP2

struct PoolTests {
    private let start = ContinuousClock.now

    private func pool(connections: Int = 2, streams: Int = 1000, firstAlone: Bool = false) -> Pool {
        var settings = ClientSettings()
        settings.connections = connections
        settings.streamsPerConnection = streams
        settings.firstRequestAlone = firstAlone
        return Pool(settings: settings)
    }

    @Test func `without requests no connection is opened`() {
        var pool = pool()
        #expect(pool.opening(waiting: 0, now: start) == nil)
    }

    @Test func `only one connection at a time is being opened`() {
        var pool = pool()
        #expect(pool.opening(waiting: 5, now: start) == 1)
        #expect(pool.opening(waiting: 5, now: start) == nil)
    }

    @Test func `before SETTINGS one stream is open at most`() {
        var pool = pool()
        _ = pool.opening(waiting: 5, now: start)
        #expect(pool.place() == nil)
        pool.connected(1)
        #expect(pool.place() == 1)
        #expect(pool.place() == nil)
        pool.limitChanged(1, to: 2)
        #expect(pool.place() == 1)
        #expect(pool.place() == nil)
    }

    @Test func `requests go where most room is`() {
        var pool = pool()
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1)
        pool.limitChanged(1, to: 3)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(2)
        pool.limitChanged(2, to: 4)
        #expect((0..<7).map { _ in pool.place() } == [2, 1, 2, 1, 2, 1, 2])
        #expect(pool.place() == nil)
    }

    @Test func `our own cap holds under a generous server`() {
        var pool = pool(streams: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1)
        pool.limitChanged(1, to: 1000)
        #expect(pool.place() == 1)
        #expect(pool.place() == nil)
    }

    @Test func `a limit below what is open frees nothing until enough have ended`() {
        var pool = pool(connections: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1)
        pool.limitChanged(1, to: 3)
        for _ in 0..<3 { _ = pool.place() }
        pool.limitChanged(1, to: 1)
        pool.streamsClosed(1, count: 2)
        #expect(pool.place() == nil)
        pool.streamsClosed(1, count: 1)
        #expect(pool.place() == 1)
    }

    @Test func `a draining connection gets nothing and makes room for another`() {
        var pool = pool(connections: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1)
        pool.drained(1)
        #expect(pool.place() == nil)
        #expect(pool.opening(waiting: 1, now: start) == 2)
    }

    @Test func `an unproven connection is given its first answer before others are opened`() {
        var pool = pool(firstAlone: true)
        _ = pool.opening(waiting: 9, now: start)
        pool.connected(1)
        pool.limitChanged(1, to: 1000)
        #expect(pool.place() == 1)
        #expect(pool.place() == nil)
        #expect(pool.opening(waiting: 8, now: start) == nil)
        pool.answered(1)
        #expect(pool.place() == 1)
    }

    @Test(arguments: [(1, 100), (2, 200), (3, 400), (7, 6400), (8, 10_000), (40, 10_000)])
    func `after failures the next attempt waits`(failures: Int, milliseconds: Int) {
        var pool = pool()
        var now = start
        for _ in 0..<failures {
            guard let id = pool.opening(waiting: 1, now: now) else {
                Issue.record("no attempt after the pause")
                return
            }
            pool.ended(id, reason: "refused", now: now, jitter: 1)
            #expect(pool.hopelessness(now: now) == "refused")
            #expect(pool.opening(waiting: 1, now: now) == nil)
            if pool.failures < failures { now = pool.notBefore ?? now }
        }
        #expect(pool.notBefore == now + .milliseconds(milliseconds))
    }

    @Test func `an answer forgets the failures`() {
        var pool = pool()
        _ = pool.opening(waiting: 1, now: start)
        pool.ended(1, reason: "refused", now: start, jitter: 0.5)
        let later = start + .milliseconds(50)
        #expect(pool.opening(waiting: 1, now: later) == 2)
        pool.connected(2)
        pool.answered(2)
        #expect(pool.failures == 0)
        pool.ended(2, reason: "lost", now: later, jitter: 1)
        #expect(pool.hopelessness(now: later) == nil)
    }
}
