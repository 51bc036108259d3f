import Daemon
import Testing

@Suite struct MetricsTests {
    @Test func `the text has help and type once a name and all series`() {
        let metrics = Metrics()
        metrics.counter("b_total", help: "Things.", labels: ["kind": "x\"y"]).add(3)
        metrics.counter("b_total", help: "Things.", labels: ["kind": "z"]).add()
        metrics.gauge("a", help: "Level.").set(1.5)
        #expect(
            metrics.exposition() == """
                # HELP a Level.
                # TYPE a gauge
                a 1.5
                # HELP b_total Things.
                # TYPE b_total counter
                b_total{kind="x\\"y"} 3
                b_total{kind="z"} 1

                """)
    }

    @Test func `the same name and labels are the same counter`() {
        let metrics = Metrics()
        metrics.counter("a_total", help: "").add(1)
        metrics.counter("a_total", help: "").add(2)
        #expect(metrics.counter("a_total", help: "").value == 3)
    }

    @Test func `a histogram counts each bound and all below it`() {
        let metrics = Metrics()
        let histogram = metrics.histogram("h", help: "Time.", bounds: [0.1, 1])
        for value in [0.05, 0.1, 0.5, 7] { histogram.observe(value) }
        #expect(
            metrics.exposition() == """
                # HELP h Time.
                # TYPE h histogram
                h_bucket{le="0.1"} 2
                h_bucket{le="1"} 3
                h_bucket{le="+Inf"} 4
                h_sum 7.65
                h_count 4

                """)
    }

    @Test func `a gauge takes additions from many tasks`() async {
        let gauge = Metrics().gauge("g", help: "")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { gauge.add(1) } } }
        }
        #expect(gauge.value == 8_000)
    }
}
