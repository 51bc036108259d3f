import Testing

@testable import Sending

struct ThrottleTests {
    private let start = ContinuousClock.now

    @Test func `nothing is held back until the provider complains`() {
        #expect(Throttle(maximum: 1000).allowed == 1000)
    }

    @Test func `a complaint halves what is open, once a second and never to nothing`() {
        var throttle = Throttle(maximum: 1000)
        throttle.slowed(now: start)
        throttle.slowed(now: start + .milliseconds(999))
        #expect(throttle.allowed == 500)
        for second in 1...20 { throttle.slowed(now: start + .seconds(second)) }
        #expect(throttle.allowed == 1)
    }

    @Test func `acceptances give it back one at a time, up to the maximum (fault 45)`() {
        var throttle = Throttle(maximum: 4)
        throttle.slowed(now: start)
        throttle.accepted()
        #expect(throttle.allowed == 2)
        throttle.accepted()
        #expect(throttle.allowed == 3)
        for _ in 0..<100 { throttle.accepted() }
        #expect(throttle.allowed == 4)
    }
}
