import DeviceKit
import Testing

@Suite struct RetryScheduleTests {
    private let schedule = RetrySchedule()

    @Test(arguments: [(1, 2_000), (2, 4_000), (3, 8_000), (9, 512_000), (10, 900_000), (1_000_000, 900_000)])
    func `the bound doubles up to the cap`(attempt: Int, bound: Int64) {
        #expect(schedule.delay(attempt: attempt, jitter: 0.999_999_999) <= bound)
        #expect(schedule.delay(attempt: attempt, jitter: 0.999_999_999) >= bound - 2)
        #expect(schedule.delay(attempt: attempt, jitter: 0) == schedule.floor)
    }

    @Test(arguments: [(Int64(30_000), Int64(30_250)), (-5, 250), (999_999_999, 3_600_250)])
    func `Retry-After is a floor, clamped to an hour, with jitter behind it`(retryAfter: Int64, least: Int64) {
        #expect(schedule.delay(attempt: 1, jitter: 0, retryAfter: retryAfter) == least)
        #expect(schedule.delay(attempt: 1, jitter: 0.99, retryAfter: retryAfter) > least)
    }
}
