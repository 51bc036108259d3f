import Testing

@testable import FCMSender

struct AccessTokenScheduleTests {
    private let start = ContinuousClock.now

    private func fetched() -> AccessTokenSchedule {
        var schedule = AccessTokenSchedule()
        schedule.fetched(now: start, life: .seconds(3600))
        return schedule
    }

    @Test func `the first fetch is due at once`() {
        #expect(AccessTokenSchedule().dueAt(now: start) == start)
        #expect(!AccessTokenSchedule().isUsable(now: start))
    }

    @Test func `the next fetch is due at two thirds of the life`() {
        #expect(fetched().dueAt(now: start) == start + .seconds(2400))
    }

    @Test func `a token is used until shortly before its end, also while the endpoint fails`() {
        var schedule = fetched()
        schedule.failed(now: start + .seconds(2400), jitter: 1)
        #expect(schedule.isUsable(now: start + .seconds(3569)))
        #expect(!schedule.isUsable(now: start + .seconds(3570)))
    }

    @Test func `a token with a short life is usable for nine tenths of it`() {
        var schedule = AccessTokenSchedule()
        schedule.fetched(now: start, life: .seconds(10))
        #expect(schedule.isUsable(now: start + .seconds(8)))
        #expect(!schedule.isUsable(now: start + .seconds(9)))
    }

    @Test(arguments: zip([1, 2, 3, 7, 30], [1, 2, 4, 60, 60]))
    func `failures wait twice as long each time, up to a minute`(failures: Int, seconds: Int) {
        var schedule = AccessTokenSchedule()
        for _ in 0..<failures { schedule.failed(now: start, jitter: 1) }
        #expect(schedule.dueAt(now: start) == start + .seconds(seconds))
        #expect(schedule.isWaiting(now: start))
        #expect(!schedule.isWaiting(now: start + .seconds(seconds)))
    }

    @Test func `the token of a replaced account serves until another has come, which is fetched at once`() {
        var schedule = fetched()
        schedule.replaced()
        let now = start + .seconds(60)
        #expect(schedule.isUsable(now: now))
        #expect(schedule.dueAt(now: now) == now)
        schedule.fetched(now: now, life: .seconds(3600))
        #expect(schedule.dueAt(now: now) == now + .seconds(2400))
    }

    @Test func `a replaced account whose token does not come is asked again after the pause`() {
        var schedule = fetched()
        schedule.replaced()
        schedule.failed(now: start, jitter: 1)
        #expect(schedule.dueAt(now: start) == start + .seconds(1))
        #expect(schedule.isUsable(now: start))
    }

    @Test func `a refused token is not used again and another is due at once`() {
        var schedule = fetched()
        schedule.refused()
        #expect(!schedule.isUsable(now: start))
        #expect(schedule.dueAt(now: start) == start)
    }
}
