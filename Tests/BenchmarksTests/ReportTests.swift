import Benchmarks
import Messages
import Testing

@Suite struct ReportTests {
    private var report: Report {
        var report = Report(
            "relay", compares: "this ÷ that", unit: "messages/s", goal: .atLeast(0.6),
            rounds: [.init(value: 10, baseline: 20), .init(value: 30, baseline: 40), .init(value: 18, baseline: 20)])
        report.settings = [.init("window", .integer(500))]
        report.versions = [.init("PostgreSQL", .string("15"))]
        return report
    }

    @Test func `the ratio is the median of the rounds' ratios`() {
        #expect(report.ratio == 0.75)
        #expect(report.value == 18)
        #expect(report.baseline == 20)
    }

    @Test(arguments: [
        (Report.Goal.atLeast(0.75), true), (.atLeast(0.76), false), (.atMost(0.75), true), (.atMost(0.74), false),
    ])
    func `a goal is met or missed`(_ goal: Report.Goal, _ isMet: Bool) {
        var report = report
        report.goal = goal
        #expect(report.isMet == isMet)
    }

    @Test func `JSON is one object in one line`() throws {
        let object = try JSONValue(parsing: Array(report.json.utf8))
        #expect(!report.json.contains("\n"))
        #expect(object["benchmark"] == .string("relay"))
        #expect(object["ratio"] == .decimal("0.75"))
        #expect(object["met"] == .bool(true))
        #expect(object["rounds"]?.array?.count == 3)
        #expect(object["settings"]?["window"] == .integer(500))
        #expect(object["versions"]?["PostgreSQL"] == .string("15"))
    }

    @Test func `lines say whether the goal is met`() {
        #expect(report.lines.contains("ratio     0.75 (at least 0.6: met)"))
        #expect(report.lines.contains("PostgreSQL: 15"))
    }

    @Test func `what could not be measured is null, not a number`() throws {
        let empty = Report("relay", compares: "nothing", unit: "s", rounds: [])
        #expect(try JSONValue(parsing: Array(empty.json.utf8))["ratio"] == .null)
    }

    @Test func `the table has a line for every figure, and columns that stand under each other`() {
        var first = Report(
            "one", compares: "", unit: "rows/s", goal: .atLeast(0.5), rounds: [.init(value: 6, baseline: 10)])
        first.also = [
            Report("second one", compares: "", unit: "ms", goal: .atMost(1), rounds: [.init(value: 30, baseline: 20)])
        ]
        #expect(
            Report.table([first]) == [
                "figure      ratio  has to be          rate  baseline  unit",
                "one         0.6    ≥ 0.5      met     6.0   10.0      rows/s",
                "second one  1.5    ≤ 1.0      missed  30.0  20.0      ms",
            ])
        #expect(Report.json(of: [first]).hasPrefix(#"{"goals":2,"met":1,"benchmarks":[{"benchmark":"one","#))
    }
}
