import AppArchive
import Delivery
import FoundationEssentials
import Messages
import TestSupport
import Testing

@testable import Verification

@Suite struct VerificationReportTests {
    private let report: VerificationReport
    private let job = Identifier.random()

    init() {
        var report = VerificationReport(title: "A <report> & more")
        let events = [
            JobTimeline.Event(at: 1_000, lane: "server", what: "committed"),
            JobTimeline.Event(at: 1_200, lane: "ios", what: "fetched", detail: "epoch \"1\" <2>"),
            JobTimeline.Event(at: 1_500, lane: "server", what: "job completed"),
        ]
        report.add(
            StepOutcome(
                step: .registration, seen: ["done: logIn"], time: .milliseconds(1_250), wasDone: true,
                timelines: [JobTimeline(job: job, purpose: "after the login", events: events)]))
        report.add(
            StepOutcome(step: .background, problem: "nothing \u{1}came & went", time: .seconds(2), wasDone: true))
        report.add(StepOutcome(step: .targetedFetch))
        self.report = report
    }

    @Test func `a report with a step that failed has not passed, and names it`() {
        #expect(!report.hasPassed)
        #expect(report.failure?.step == .background)
        #expect(report.text.contains("FAILED   step 2, a receipt is submitted while the app is in the background"))
        #expect(report.text.contains("not done step 3"))
    }

    @Test func `a report of nothing has not passed`() { #expect(!VerificationReport(title: "").hasPassed) }

    @Test func `the JSON has each step with its jobs`() throws {
        let value = try JSONValue(parsing: report.json)
        #expect(value["passed"] == .bool(false))
        let steps = try #require(value["steps"]?.array)
        #expect(steps.map { $0["done"] } == [.bool(true), .bool(true), .bool(false)])
        #expect(steps[0]["jobs"]?.array?.first?["events"]?.array?.count == 3)
        #expect(steps[1]["problem"]?.string == "nothing \u{1}came & went")
    }

    @Test func `other people's parsers read JUnit, picture and page`() async throws {
        let folder = try ScratchFolder()
        try report.write(to: folder.path)
        let program = """
            import html.parser, sys, xml.etree.ElementTree as tree
            suite = tree.parse(sys.argv[1] + "/report.xml").getroot()
            print(suite.get("tests"), suite.get("failures"), suite.get("skipped"))
            print(suite[1][0].tag, suite[2][0].tag)
            page = open(sys.argv[1] + "/report.html").read()
            start, end = page.index("<svg"), page.index("</svg>") + 6
            picture = tree.fromstring(page[start:end])
            print(len(picture.findall(".//{http://www.w3.org/2000/svg}circle")))
            class Reader(html.parser.HTMLParser):
                def handle_starttag(self, tag, attributes):
                    for name, value in attributes:
                        if name in ("src", "href"): print("needs", value)
            Reader().feed(page)
            """
        let script = ScratchFile(program)
        let output = try await ShellCommand.output(of: "/usr/bin/python3 \(script.path) \(folder.path)")
        #expect(output == "3 1 1\nfailure skipped\n3\n", "\(output)")
    }
}
