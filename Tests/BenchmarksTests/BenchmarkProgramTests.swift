import FoundationEssentials
import LocalStack
import Messages
import TestSupport
import Testing

/// The commands as a person types them, with small rounds. Each starts a PostgreSQL and a RabbitMQ of its own, which takes
/// most of its ten to twenty seconds.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BenchmarkProgramTests {
    @Test func `bench relay compares with the bare loop, and the relay's memory does not grow`() async throws {
        let report = try await report(of: "relay", "--rows", "20000", "--rounds", "1")
        for name in ["rate", "baseline", "ratio"] { #expect(try number(report[name]) > 0, "\(name)") }
        #expect(try number(report["details"]?["memoryGrowth"]) <= 1.2)
        #expect(report["versions"]?["RabbitMQ"]?.string != nil)
    }

    @Test func `bench aged-outbox measures commit, relay and outcome in both databases`() async throws {
        let report = try await report(of: "aged-outbox", "--rows", "20000", "--hints", "800", "--rounds", "1")
        for name in ["commit", "commitBaseline", "relay", "relayBaseline", "outcome", "outcomeBaseline"] {
            #expect(try number(report["details"]?[name]) > 0, "\(name)")
        }
    }

    @Test func `bench dead measures a page by every filter beside the bare query`() async throws {
        let report = try await report(of: "dead", "--rows", "20000", "--rounds", "1")
        let all = [report] + (report["also"]?.array ?? [])
        #expect(all.count == 12)
        for figure in all {
            for name in ["rate", "baseline", "ratio"] { #expect(try number(figure[name]) > 0, "\(name)") }
        }
    }

    @Test func `ten hints of a quiet account are published within a second beside a busy one and a paused route`()
        async throws
    {
        let report = try await report(of: "fairness", "--rows", "5000", "--trials", "2")
        #expect(report["met"] == .bool(true), "\(report)")
    }

    @Test func `bench simulator compares with nghttpd over one connection and over four`() async throws {
        let report = try await report(of: "simulator", "--requests", "2000", "--rounds", "1")
        for figure in [report] + (report["also"]?.array ?? []) {
            for name in ["rate", "baseline", "ratio"] { #expect(try number(figure[name]) > 0, "\(name)") }
        }
        #expect(report["also"]?.array?.count == 1)
        // Two connection counts, and a warm-up of each that is not measured.
        #expect(report["details"]?["delivered to phones"] == .integer(4 * 2000))
    }

    @Test func `bench sender counts hints and processor time, and a thousand in flight fit into 64 MiB`() async throws {
        let report = try await report(of: "sender", "--hints", "2000", "--rounds", "1")
        for name in ["rate", "baseline", "ratio"] { #expect(try number(report[name]) > 0, "\(name)") }
        #expect(try number(report["details"]?["processorMicrosecondsOfAHint"]) > 0)
        #expect(try number(report["details"]?["inFlight"]) >= 1000)
        #expect(report["also"]?.array?.first?["met"] == .bool(true), "\(report)")
    }

    @Test func `bench latency finds a highest rate and tells the middle and the tail at a tenth of it`() async throws {
        let report = try await report(of: "latency", "--jobs", "1000", "--seconds", "5")
        #expect(try number(report["p50_ms"]) > 0)
        #expect(try number(report["p99_ms"]) >= number(report["p50_ms"]))
        #expect(try number(report["settings"]?["hintsASecond"]) > 10)
    }

    @Test func `bench gateway compares with its parts, and shows answer times over a thousand connections`()
        async throws
    {
        let report = try await report(of: "gateway", "--seconds", "1", "--rounds", "1")
        for name in ["rate", "baseline", "ratio"] { #expect(try number(report[name]) > 0, "\(name)") }
        for name in ["constantAnswers", "signatureChecks", "queries", "answeredOfPercentiles"] {
            #expect(try number(report["details"]?[name]) > 0, "\(name)")
        }
        #expect(report["details"]?["connectionsOfPercentiles"] == .integer(1000))
        #expect(try number(report["p99_ms"]) > 0)
    }

    @Test func `bench pipeline takes every hint through the whole system, stored and while jobs are committed`()
        async throws
    {
        let report = try await report(of: "pipeline", "--jobs", "256", "--rounds", "1")
        let meanwhile = try #require(report["also"]?.array?.first)
        for figure in [report, meanwhile] {
            for name in ["rate", "baseline", "ratio"] { #expect(try number(figure[name]) > 0, "\(name)") }
            for part in ["apns-sender", "fcm-sender", "relay", "ack-recorder", "postgres", "rabbitmq"] {
                #expect(try number(figure["details"]?["\(part) µs a hint"]) > 0, "\(part)")
            }
        }
    }

    private func report(of name: String, _ options: String...) async throws -> JSONValue {
        let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let folder = "\(base)/bench-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let environment = [
            "PATH": "/usr/bin:/bin", "TMPDIR": folder,
            "MOBILE_DELIVERY_TOPOLOGY_DIRECTORY": "\(Repository.root)/topology",
        ]
        let child = try ChildProcess(
            name, ProcessCommand(programs.lab, ["bench", name, "--json"] + options, environment: environment),
            logPath: "\(folder)/output", errorPath: "\(folder)/complaints")
        let end = await child.end(after: .seconds(240))
        let complaints = FileManager.default.contents(atPath: "\(folder)/complaints") ?? Data()
        #expect(end == .exited(0), "\(String(decoding: complaints, as: UTF8.self))")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0 != "output" && $0 != "complaints"
        }
        #expect(left.isEmpty, "left behind: \(left)")
        // All that it prints is the object and a line break.
        return try JSONValue(parsing: Array(child.log.utf8.dropLast()))
    }

    private func number(_ value: JSONValue?) throws -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .decimal(let text): return try #require(Double(text))
        default:
            Issue.record("\(String(describing: value)) is no number")
            return .nan
        }
    }
}
