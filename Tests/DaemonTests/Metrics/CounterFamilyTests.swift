import Testing

@testable import Daemon

@Suite struct CounterFamilyTests {
    @Test func `each set of values is the counter that Metrics has under these labels`() {
        let metrics = Metrics()
        let family = CounterFamily(
            metrics, "answers_total", help: "Answers.", fixed: ["route": "apns"], varying: ["verdict", "reason"])
        family["accepted", ""].add()
        family["accepted", ""].add()
        family["dead", "Unregistered"].add()
        #expect(
            metrics.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") } == [
                #"answers_total{reason="",route="apns",verdict="accepted"} 2"#,
                #"answers_total{reason="Unregistered",route="apns",verdict="dead"} 1"#,
            ])
        #expect(
            metrics.counter(
                "answers_total", help: "Answers.", labels: ["route": "apns", "verdict": "accepted", "reason": ""])
                === family["accepted", ""])
    }
}
