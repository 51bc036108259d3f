import FoundationEssentials
import TestSupport
import Testing

/// `docs/sender-faults.md` says which test covers which fault, and the tests say it in their names.
@Suite struct FaultTableTests {
    private struct Row {
        let fault: Int
        /// As `Suite: name`, without the numbers at its end.
        let tests: [String]
    }

    private let rows: [Row]
    /// Faults by `Suite: name` of the test that carries their numbers.
    private let named: [String: [Int]]

    init() throws {
        rows = try Repository.text("docs/sender-faults.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmed }
            guard cells.count == 4, let fault = Int(cells[0]) else { return nil }
            return Row(fault: fault, tests: cells[3].components(separatedBy: "<br>"))
        }
        var named: [String: [Int]] = [:]
        for file in try SourceFile.all(under: "Tests") {
            for line in file.lines {
                let parts = line.split(separator: "`")
                guard parts.count > 1, let found = parts[1].firstMatch(of: /^(.+) \(faults? ([\d, ]+)\)$/) else {
                    continue
                }
                named["\(file.stem): \(found.1)"] = found.2.split(separator: ",").compactMap { Int($0.trimmed) }
            }
        }
        self.named = named
    }

    @Test func `each of the 51 faults has its row`() { #expect(rows.map(\.fault) == Array(1...51)) }

    @Test func `each row names tests, and their names say its number`() {
        for row in rows {
            #expect(!row.tests.isEmpty, "fault \(row.fault)")
            for test in row.tests { #expect(named[test]?.contains(row.fault) == true, "fault \(row.fault): \(test)") }
        }
    }

    @Test func `each number in a test's name is in the table`() {
        for (test, faults) in named {
            for fault in faults {
                #expect(rows.first { $0.fault == fault }?.tests.contains(test) == true, "fault \(fault): \(test)")
            }
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
