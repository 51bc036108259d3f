import FoundationEssentials
import TestSupport
import Testing

/// `docs/housekeeping.md` says of everything that is kept for how long.
@Suite struct RetentionTableTests {
    /// First cells of the table.
    private let kept: String

    init() throws {
        kept = try Repository.text("docs/housekeeping.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.compactMap { $0.split(separator: "|").first.map(String.init) }
            .joined(separator: "\n")
    }

    @Test func `every table is in it`() throws {
        var tables: Set<String> = []
        for path in Repository.files(under: "topology/postgres", suffix: ".sql") {
            for found in try Repository.text(path).matches(of: /CREATE TABLE delivery\.([a-z_]+)/) {
                tables.insert(String(found.1))
            }
        }
        #expect(tables.count > 15)
        for table in tables.sorted() { #expect(kept.contains("`\(table)`") || kept.contains("`\(table)."), "\(table)") }
    }

    @Test func `every queue is in it`() throws {
        let text = try Repository.text("topology/definitions.json")
        let queues = try #require(text.components(separatedBy: "\"queues\"").dropFirst().first)
        let names = queues.prefix { $0 != "]" }.matches(of: /"name": *"([a-z.]+)"/).map { String($0.1) }
        #expect(names.count > 5)
        for name in names { #expect(kept.contains("`\(name)`"), "\(name)") }
    }
}
