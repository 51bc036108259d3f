import Testing

@testable import APNSSender

struct ProviderTokenScheduleTests {
    private let start = ContinuousClock.now

    private func minted(jitter: Double = 0) -> ProviderTokenSchedule {
        var schedule = ProviderTokenSchedule()
        schedule.minted(now: start, jitter: jitter)
        return schedule
    }

    @Test func `the first request makes a token`() {
        #expect(ProviderTokenSchedule().mustMint(isRefused: false, now: start))
    }

    @Test(arguments: zip([0.0, 0.5, 1.0], [2400.0, 2850.0, 3300.0]))
    func `it is renewed at 40 to 55 minutes`(jitter: Double, seconds: Double) {
        let due = start + .seconds(seconds)
        #expect(!minted(jitter: jitter).mustMint(isRefused: false, now: due - .seconds(1)))
        #expect(minted(jitter: jitter).mustMint(isRefused: false, now: due))
    }

    @Test func `a refused token is replaced, but never within 20 minutes (fault 28)`() {
        #expect(!minted().mustMint(isRefused: true, now: start + .seconds(1199)))
        #expect(minted().mustMint(isRefused: true, now: start + .seconds(1200)))
    }

    @Test func `too many updates hold the making for 20 minutes`() {
        var schedule = minted()
        schedule.held(now: start + .seconds(2390))
        #expect(!schedule.mustMint(isRefused: true, now: start + .seconds(3589)))
        #expect(!schedule.mustMint(isRefused: false, now: start + .seconds(3589)))
        #expect(schedule.mustMint(isRefused: false, now: start + .seconds(3590)))
    }
}
