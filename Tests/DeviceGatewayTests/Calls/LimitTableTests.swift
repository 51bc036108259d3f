import FoundationEssentials
import HTTPServer
import TestSupport
import Testing

@testable import DeviceGateway

/// The table of limits in `docs/device-api.md` against the program.
@Suite struct LimitTableTests {
    /// Second cell by first cell.
    private let limits: [String: String]

    init() throws {
        let page = try Repository.text("docs/device-api.md")
        let table = page.components(separatedBy: "## Limits").dropFirst().first?.components(separatedBy: "\n## ").first
        var limits: [String: String] = [:]
        for line in (table ?? "").split(separator: "\n") {
            let cells = line.components(separatedBy: "|").map { String($0.drop { $0 == " " }) }
            if cells.count > 3 { limits[Self.trimmed(cells[1])] = Self.trimmed(cells[2]) }
        }
        self.limits = limits
    }

    /// What the table has to say, by row: made of the program's own numbers.
    private var expected: [String: [String]] {
        let settings = Configuration()
        let limits = settings.limits
        let lease = settings.lease
        return [
            "body of a request": ["\(limits.body >> 20) MiB"],
            "head of a request": ["\(limits.connectionMemory >> 10) KiB"],
            "calls of one device": ["\(Int(settings.deviceRate)) a second", "\(settings.deviceBurst) at once"],
            "enrolments of one address, with one ticket": [
                "\(settings.enrolmentRate), \(settings.enrolmentTicketRate) a minute"
            ],
            "connections, of one address": [
                grouped(limits.connections), limits.connectionsPerAddress == 0 ? "no limit" : "limit",
            ],
            "silence on a connection": [seconds(limits.idle)],
            "first line of a request, after the silence": [seconds(limits.head)],
            "from the first line to the end of the body; taking an answer": [seconds(limits.upload)],
            "phones in a long poll, and how long one waits": [
                grouped(settings.waiters), "\(settings.waitSeconds) s", "at most \(settings.longestWaitSeconds) s",
            ],
            "until a waiting phone hears of a change": ["\(Int(settings.waitInterval / .milliseconds(1))) ms"],
            "a page of the listing": ["\(settings.pageSize), at most \(settings.largestPage)"],
            "enrolment ticket": [minutes(settings.ticketLifetime)],
            "lease, hard deadline of a grant": [seconds(lease.ttl), minutes(lease.hardDeadline)],
            "cool-down after a wasted lease": [
                seconds(lease.coolDown), "\(Int(lease.coolDownCap / .seconds(3600))) h",
            ],
            "late submissions": [lease.acceptLate ? "accepted" : "refused"],
            "database connections": ["\(settings.databaseConnections)"],
            "statement, broker confirm": [seconds(settings.databaseTimeout), seconds(settings.confirmTimeout)],
            "requests in flight at SIGTERM": [seconds(settings.drain)],
        ]
    }

    @Test func `every number of the gateway is the program's`() {
        for (row, parts) in expected {
            for part in parts { #expect(limits[row]?.contains(part) == true, "\(row): \(limits[row] ?? "no row")") }
        }
    }

    /// They are checked where they are enforced, in the commit.
    @Test func `the numbers of a job are those of the commit`() throws {
        let commit = try Repository.text("topology/postgres/0003-commit.sql")
        #expect(limits["job body, ciphertext of one recipient"]?.hasPrefix("256 KiB") == true)
        #expect(commit.contains("octet_length(body) > 262144"))
        #expect(limits["devices of a job, recipients of a job"] == "32, 64")
        #expect(commit.contains("cardinality(sealed_keys) > 32") && commit.contains("cardinality(recipients) > 64"))
        #expect(limits["lifetime of a job"] == "1 minute to 90 days, 30 days")
        #expect(commit.contains("interval '1 minute'") && commit.contains("interval '90 days'"))
        #expect(commit.contains("lifetime interval DEFAULT interval '30 days'"))
    }

    @Test func `no row is without its number here`() {
        let ofJobs = [
            "what", "---", "job body, ciphertext of one recipient", "devices of a job, recipients of a job",
            "lifetime of a job",
        ]
        for row in limits.keys where !ofJobs.contains(row) { #expect(expected[row] != nil, "\(row)") }
    }

    private static func trimmed(_ text: String) -> String { String(text.reversed().drop { $0 == " " }.reversed()) }
    private func seconds(_ duration: Duration) -> String { "\(duration.components.seconds) s" }
    private func minutes(_ duration: Duration) -> String { "\(duration.components.seconds / 60) minutes" }
    private func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(number / 1000),\(String(1000 + number % 1000).dropFirst())"
    }
}
