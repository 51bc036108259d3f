import FoundationEssentials
import TestSupport
import Testing

/// `docs/requirements.md` says which test proves which requirement, and the tests say it in their names.
@Suite struct RequirementTests {
    private struct Row {
        let id: String
        /// As `Suite: name`.
        let tests: [String]
    }

    /// Those of the gateway, the lease, acknowledgements, tokens, the queue, the commit, the phone and the verification.
    private static let ids = [
        2, 3, 5, 8, 9, 10, 12, 14, 15, 16, 17, 18, 19, 23, 24, 25, 27, 30, 31, 32, 33, 34, 35, 36, 37, 42, 43, 44, 45,
        46,
        47, 49, 50, 51, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66,
        67, 68, 69, 70, 71, 72, 73, 74, 75,
    ].map {
        $0 < 10 ? "R-0\($0)" : "R-\($0)"
    }

    private let rows: [Row]
    /// `Suite: name` of every test.
    private let tests: Set<String>

    init() throws {
        rows = try Repository.text("docs/requirements.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map(\.trimmed)
            guard cells.count == 3, cells[0].wholeMatch(of: /R-\d\d/) != nil else { return nil }
            return Row(id: cells[0], tests: cells[2].components(separatedBy: "<br>"))
        }
        var tests: Set<String> = []
        for file in try SourceFile.all(under: "Tests") {
            for line in file.lines where line.contains("func `") {
                let parts = line.split(separator: "`")
                if parts.count > 1 { tests.insert("\(file.stem): \(parts[1])") }
            }
        }
        self.tests = tests
    }

    @Test func `each requirement has its row`() { #expect(rows.map(\.id) == Self.ids) }

    @Test func `each row names tests that exist, and their names begin with its number`() {
        for row in rows {
            #expect(!row.tests.isEmpty, "\(row.id)")
            for test in row.tests {
                #expect(tests.contains(test), "\(row.id): there is no test \(test)")
                let numbers = test.split(separator: ":").dropFirst().first.map(String.init) ?? ""
                #expect(numbers.contains(row.id), "\(row.id): \(test)")
            }
        }
    }

    /// The providers' acceptance is called what it is.
    @Test func `R-25: no metric, log line or column of the services says that anything was delivered to a phone`()
        throws
    {
        let services: Set<String> = [
            "OutboxRelay", "Sending", "APNSSender", "FCMSender", "FanoutCoordinator", "AckRecorder", "DeviceGateway",
            "Operations", "DeadLetters", "mobile-delivery",
        ]
        for file in try SourceFile.all(under: "Sources") where services.contains(file.target) {
            for line in file.code {
                for text in line.matches(of: /"[^"]*"/) {
                    #expect(!text.output.contains("delivered"), "\(file.path): \(text.output)")
                }
            }
        }
        for path in Repository.files(under: "topology/postgres", suffix: ".sql") {
            #expect(try !Repository.text(path).contains("delivered_at"), "\(path)")
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
