import Testing

@testable import LoadTest

@Suite struct LiveViewTests {
    private let view: LiveView

    init() {
        var plan = LoadPlan()
        plan.seconds = 60
        view = LiveView(plan: plan)
    }

    private func sample(_ at: Double, committed: Int, due: Int) -> Sample {
        var sample = Sample()
        sample.at = at
        sample.intended = committed
        sample.committed = committed
        sample.accepted = committed - due
        sample.due = due
        sample.leased = due / 2
        sample.recent.record(12_400)
        sample.all.record(12_400)
        sample.processors = ["postgres": 0.8]
        return sample
    }

    @Test func `the screen has progress, remaining time, rates, backlog by stage, percentiles`() {
        let screen = view.screen(
            sample(15, committed: 3000, due: 200), after: sample(14, committed: 2800, due: 150)
        ).joined(separator: "\n")
        for part in [
            "25 %", "45 s to go", "committed 200/s", "accepted 150/s", "relay 100", "p99.9 12 ms", "postgres 80 %",
        ] {
            #expect(screen.contains(part), "\(part) in\n\(screen)")
        }
    }

    @Test func `after the last arrival it says how long the backlog takes at the present pace`() {
        let line = view.line(sample(62, committed: 6000, due: 500), after: sample(61, committed: 6000, due: 600))
        #expect(line.contains("draining 500, about 5 s"), "\(line)")
    }

    @Test func `a plain line has no control characters`() {
        let line = view.line(sample(15, committed: 3000, due: 0), after: nil)
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}
