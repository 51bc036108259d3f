import Delivery
import Messages
import Testing

@testable import LoadTest

@Suite struct LoadReportTests {
    /// Four quarters of ten seconds; in the last one everything takes as many times as long as `growth` says.
    private func report(growth: Int64 = 1, fates: [HintFate] = []) -> LoadReport {
        var plan = LoadPlan()
        plan.seconds = 40
        let samples = (1...40).map { second in
            var sample = Sample()
            sample.at = Double(second)
            sample.intended = second * 100
            sample.committed = second * 100
            sample.accepted = second * 100
            sample.processors = ["relay": 0.5, "postgres": 0.25]
            sample.memory = ["relay": second > 30 ? 30_000 * Int(growth) : 30_000, "postgres": 90_000]
            sample.queues = ["hints.fcm.cheqi": 3]
            sample.recent.record(12_000)
            if second == 20 { sample.strikes = ["relay killed"] }
            return sample
        }
        var report = LoadReport(
            plan: plan, samples: samples, conservation: fates.reduce(into: Conservation()) { $0.add($1) })
        report.parts = (0..<4).map { part in
            var latencies = StageLatencies()
            for value in 1...1000 { latencies.record(.accept, Int64(value * 100) * (part == 3 ? growth : 1)) }
            return latencies
        }
        report.hasDrained = true
        return report
    }

    private var lost: HintFate {
        var fate = HintFate(job: .random(), device: .random(), entry: .random())
        fate.state = "accepted"
        return fate
    }

    @Test func `growth is the last quarter divided by the second, of p99 and of each process's memory`() {
        let report = report(growth: 3)
        #expect(abs((report.latencyGrowth ?? 0) - 3) < 0.05)
        #expect(report.memoryGrowth.map(\.process) == ["postgres", "relay"])
        #expect(report.memoryGrowth.map(\.growth) == [1, 3])
    }

    @Test func `text, page and JSON name each hint that is not accounted for`() throws {
        let fate = lost
        let report = report(fates: [fate])
        let entry = try #require(fate.entry).description
        #expect(report.text.contains("BROKEN: 1 lost, 0 doubled, 0 unexplained"))
        #expect(report.text.contains(entry))
        #expect(report.page.contains(entry))
        let json = try JSONValue(parsing: report.json)
        #expect(json["kept"]?.bool == false)
        #expect(json["conservation"]?["findings"]?.array?.first?["entry"]?.string == entry)
    }

    @Test func `the page needs nothing but itself`() {
        let page = report().page
        for word in ["http://", "https://", "src=", "href=", "<script", "@import", "url("] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("prefers-color-scheme: dark"))
        #expect(page.contains("width=device-width"))
    }

    @Test func `the page has every plot, a line a process and a mark a fault`() {
        let page = report().page
        for title in [
            "Throughput", "Depth by stage", "Latency to the acceptance", "Latency by stage", "Messages in queues",
            "Requests to providers", "Processor", "Memory of the services", "Memory of the servers",
        ] {
            #expect(page.contains("<figcaption>\(title) "), "\(title)")
        }
        #expect(page.contains("<title>postgres</title></polyline>"))
        #expect(page.contains("<title>relay killed</title></path>"))
        #expect(page.split(separator: "<svg").count - 1 == page.split(separator: "</svg>").count - 1)
    }

    @Test func `names from outside are escaped`() {
        #expect(HTML.escaped("<a & \"b\">") == "&lt;a &amp; &quot;b&quot;&gt;")
    }

    @Test(arguments: [
        (0.0, "0"), (1.5, "1.5"), (1.0004, "1"), (-2.25, "-2.25"), (1234.5678, "1234.568"), (0.0005, "0.001"),
    ])
    func `numbers are written without needless digits`(_ number: Double, _ text: String) {
        #expect(Figure.text(number) == text)
    }

    @Test func `counts and times are written for people`() {
        #expect([0, 999, 1000, -1_234_567].map(Figure.count) == ["0", "999", "1,000", "-1,234,567"])
        #expect([840.0, 12_400, 1_250_000].map(Figure.time) == ["0.84 ms", "12 ms", "1.25 s"])
        #expect([5.0, 65, 600].map(Figure.clock) == ["5 s", "1:05 min", "10:00 min"])
    }
}
