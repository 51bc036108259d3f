import Testing

@testable import Sending

struct SendingRateTests {
    private let start = ContinuousClock.now

    /// How many hints start within `length` when as many as possible ask all the time from `from` on.
    private func started(
        _ rate: inout SendingRate, from: ContinuousClock.Instant, within length: Duration
    ) -> Int {
        var count = 0
        var now = from
        while true {
            now = max(now, rate.reserve(now: now))
            if now >= from + length { return count }
            count += 1
        }
    }

    @Test func `the first hint starts at once`() {
        var rate = SendingRate(full: 10_000, ramp: .seconds(60), now: start)
        #expect(rate.reserve(now: start) == start)
    }

    @Test func `the rate climbs from a hundredth to the full rate within the ramp`() {
        var rate = SendingRate(full: 100, ramp: .seconds(60), now: start)
        let first = started(&rate, from: start, within: .seconds(1))
        let climbing = started(&rate, from: start + .seconds(1), within: .seconds(59))
        let full = started(&rate, from: start + .seconds(60), within: .seconds(10))
        #expect((1...3).contains(first))
        #expect((2800...3100).contains(climbing))
        #expect((990...1010).contains(full))
    }

    @Test func `over a minute at the full rate no more hints start than the quota`() {
        var rate = SendingRate(full: 600_000.0 / 60 / 4, ramp: .seconds(60), now: start)
        _ = started(&rate, from: start, within: .seconds(60))
        let minute = started(&rate, from: start + .seconds(60), within: .seconds(60))
        #expect((149_000...150_001).contains(minute))
    }

    @Test func `what waited a moment goes out at once, and no more than a tenth of a second's worth`() {
        var rate = SendingRate(full: 100, ramp: .seconds(1), now: start)
        _ = started(&rate, from: start, within: .seconds(2))
        let now = start + .milliseconds(2500)
        let slots = (0..<30).map { _ in rate.reserve(now: now) }
        #expect((10...11).contains(slots.count { $0 == now }))
    }

    @Test func `a project-wide quota answer halves the rate, which climbs again`() {
        var rate = SendingRate(full: 100, ramp: .seconds(60), now: start)
        _ = started(&rate, from: start, within: .seconds(120))
        let now = start + .seconds(120)
        rate.slowed(now: now)
        let halved = started(&rate, from: now, within: .seconds(2))
        let later = started(&rate, from: now + .seconds(40), within: .seconds(2))
        #expect((98...106).contains(halved))
        #expect((198...212).contains(later))
    }

    @Test func `answers to hints that were open together slow it once`() {
        var rate = SendingRate(full: 100, ramp: .seconds(60), now: start)
        _ = started(&rate, from: start, within: .seconds(120))
        let now = start + .seconds(120)
        for step in 0..<50 { rate.slowed(now: now + .milliseconds(step)) }
        #expect((98...106).contains(started(&rate, from: now, within: .seconds(2))))
    }

    @Test func `after a silence as long as the ramp the climb begins again`() {
        var rate = SendingRate(full: 100, ramp: .seconds(60), now: start)
        _ = started(&rate, from: start, within: .seconds(120))
        let now = start + .seconds(300)
        #expect((1...14).contains(started(&rate, from: now, within: .seconds(1))))
    }
}
