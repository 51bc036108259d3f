import Testing

@testable import Sending

struct ClockWatchTests {
    @Test(arguments: zip([95_000, 94_999] as [Int64], [false, true]))
    func `a hint more than the tolerance from the future means a wrong clock`(now: Int64, expected: Bool) {
        var watch = ClockWatch(tolerance: 5_000)
        #expect(watch.saw(publishedAt: 100_000, deadline: 220_000, isLate: false, now: now) == expected)
    }

    @Test func `nothing but late hints for a whole deadline means a wrong clock`() {
        var watch = ClockWatch(tolerance: 5_000)
        #expect(watch.saw(publishedAt: 0, deadline: 120_000, isLate: true, now: 200_000) == false)
        #expect(watch.saw(publishedAt: 100_000, deadline: 220_000, isLate: true, now: 319_999) == false)
        #expect(watch.saw(publishedAt: 100_000, deadline: 220_000, isLate: true, now: 320_000) == true)
    }

    @Test func `one hint in time begins the watch anew`() {
        var watch = ClockWatch(tolerance: 5_000)
        #expect(watch.saw(publishedAt: 0, deadline: 120_000, isLate: true, now: 200_000) == false)
        #expect(watch.saw(publishedAt: 300_000, deadline: 420_000, isLate: false, now: 310_000) == false)
        #expect(watch.saw(publishedAt: 200_000, deadline: 320_000, isLate: true, now: 321_000) == false)
    }
}
