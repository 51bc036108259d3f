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
        #expect(pool.place(now: start) == nil)
        pool.connected(1, now: start)
        #expect(pool.place(now: start) == 1)
        #expect(pool.place(now: start) == nil)
        pool.limitChanged(1, to: 2)
        #expect(pool.place(now: start) == 1)
        #expect(pool.place(now: start) == nil)
    }

    @Test func `requests go where most room is`() {
        var pool = pool()
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.limitChanged(1, to: 3)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(2, now: start)
        pool.limitChanged(2, to: 4)
        #expect((0..<7).map { _ in pool.place(now: start) } == [2, 1, 2, 1, 2, 1, 2])
        #expect(pool.place(now: start) == nil)
    }

    @Test func `our own cap holds under a generous server`() {
        var pool = pool(streams: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.limitChanged(1, to: 1000)
        #expect(pool.place(now: start) == 1)
        #expect(pool.place(now: start) == nil)
    }

    @Test func `a limit below what is open frees nothing until enough have ended`() {
        var pool = pool(connections: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.limitChanged(1, to: 3)
        for _ in 0..<3 { _ = pool.place(now: start) }
        pool.limitChanged(1, to: 1)
        pool.streamsClosed(1, count: 2)
        #expect(pool.place(now: start) == nil)
        pool.streamsClosed(1, count: 1)
        #expect(pool.place(now: start) == 1)
    }

    @Test func `a draining connection gets nothing and makes room for another`() {
        var pool = pool(connections: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.drained(1)
        #expect(pool.place(now: start) == nil)
        #expect(pool.opening(waiting: 1, now: start) == 2)
    }

    @Test func `an unproven connection is given its first answer before others are opened`() {
        var pool = pool(firstAlone: true)
        _ = pool.opening(waiting: 9, now: start)
        pool.connected(1, now: start)
        pool.limitChanged(1, to: 1000)
        #expect(pool.place(now: start) == 1)
        #expect(pool.place(now: start) == nil)
        #expect(pool.opening(waiting: 8, now: start) == nil)
        pool.answered(1)
        #expect(pool.place(now: start) == 1)
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
        pool.connected(2, now: later)
        pool.answered(2)
        #expect(pool.failures == 0)
        pool.ended(2, reason: "lost", now: later, jitter: 1)
        #expect(pool.hopelessness(now: later) == nil)
    }

    @Test func `connections that are ended as soon as they answered are replaced at once, but not without end`() {
        var pool = pool()
        var delays: [Duration] = []
        for _ in 0..<6 {
            let now = max(start, pool.notBefore ?? start)
            guard let id = pool.opening(waiting: 1, now: now) else {
                Issue.record("no attempt after the pause")
                return
            }
            pool.connected(id, now: now)
            pool.answered(id)
            pool.ended(id, reason: "GOAWAY", now: now, jitter: 1)
            // The server answers: worth waiting for.
            #expect(pool.hopelessness(now: now) == nil)
            delays.append(max(.zero, (pool.notBefore ?? now) - now))
        }
        #expect(delays == [0, 0, 0, 100, 200, 400].map { .milliseconds($0) })
    }

    @Test func `after a farewell before the first answer another connection is opened at once`() {
        var pool = pool()
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.ended(1, reason: "GOAWAY", isFarewell: true, now: start, jitter: 1)
        #expect(pool.hopelessness(now: start) == nil)
        #expect(pool.opening(waiting: 1, now: start) == 2)
    }

    @Test func `a connection that lived long ends without a pause`() {
        var pool = pool()
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.answered(1)
        pool.ended(1, reason: "GOAWAY", now: start + .seconds(5), jitter: 1)
        #expect(pool.brief == 0)
        #expect(pool.notBefore == nil)
    }

    @Test func `after a refused stream requests go to another connection`() {
        var pool = pool()
        for id in 1...2 {
            _ = pool.opening(waiting: 1, now: start)
            pool.connected(id, now: start)
            pool.limitChanged(id, to: 10)
        }
        pool.refused(1)
        #expect((0..<3).map { _ in pool.place(now: start) } == [2, 2, 2])
        pool.answered(1)
        #expect(pool.place(now: start) == 1)
    }

    @Test func `after a refused stream another connection is opened if one more is allowed`() {
        var pool = pool(firstAlone: true)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.refused(1)
        #expect(pool.place(now: start) == nil)
        #expect(pool.opening(waiting: 1, now: start) == 2)
        #expect(pool.place(now: start) == nil)
        pool.connected(2, now: start)
        #expect(pool.place(now: start) == 2)
    }

    @Test func `the only connection is used although it refused a stream`() {
        var pool = pool(connections: 1)
        _ = pool.opening(waiting: 1, now: start)
        pool.connected(1, now: start)
        pool.refused(1)
        #expect(pool.place(now: start) == 1)
    }
}
