import Testing

@testable import DeadLetters

/// `--rate`.
struct ReplayPaceTests {
    private let began = ContinuousClock.now

    @Test func `letters are spread evenly`() {
        var pace = ReplayPace(rate: 100)
        #expect(pace.batch == 10 && pace.pause(at: began) == .zero)
        pace.took(10, at: began)
        #expect(pace.pause(at: began + .milliseconds(30)) == .milliseconds(70))
    }

    @Test func `a short delay is caught up`() {
        var pace = ReplayPace(rate: 100)
        pace.took(10, at: began)
        pace.took(10, at: began + .milliseconds(300))
        // Due at 200 ms.
        #expect(pace.pause(at: began + .milliseconds(300)) == .zero)
        pace.took(10, at: began + .milliseconds(300))
        #expect(pace.pause(at: began + .milliseconds(300)) == .zero)
        pace.took(10, at: began + .milliseconds(300))
        #expect(pace.pause(at: began + .milliseconds(300)) == .milliseconds(100))
    }

    @Test func `a stall of a minute is followed by no more than half a second's letters at once`() {
        var pace = ReplayPace(rate: 100)
        pace.took(10, at: began)
        let back = began + .seconds(60)
        var letters = 0
        while pace.pause(at: back) == .zero, letters < 10_000 {
            pace.took(10, at: back)
            letters += 10
        }
        #expect(letters == 60)
    }

    @Test func `progress tells the rate and what is left`() {
        let progress = RunProgress(total: 1000, at: began)
        #expect(
            progress.text(250, at: began + .seconds(5)) == "[=====>              ] 250 of 1,000, 50/s, 15s left")
        #expect(progress.text(1000, at: began + .seconds(20)) == "[====================] 1,000 of 1,000, 50/s, 0s left")
    }
}
