import FoundationEssentials
import LocalStack
import Messages
import TestSupport
import Testing

/// The command as a person types it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadTestProgramTests {
    private let folder: String

    init() throws {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        folder = "\(base)/load-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    private func run(_ arguments: [String]) async throws -> (
        end: ChildProcess.Termination?, output: String, error: String
    ) {
        let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
        let environment = [
            "PATH": "/usr/bin:/bin", "TMPDIR": folder,
            "MOBILE_DELIVERY_TOPOLOGY_DIRECTORY": "\(Repository.root)/topology",
        ]
        let child = try ChildProcess(
            "loadtest", ProcessCommand(programs.lab, arguments, environment: environment),
            logPath: "\(folder)/output", errorPath: "\(folder)/complaints")
        let end = await child.end(after: .seconds(200))
        let complaints = FileManager.default.contents(atPath: "\(folder)/complaints") ?? Data()
        return (end, child.log, String(decoding: complaints, as: UTF8.self))
    }

    @Test func `a loss ends with status 2 and three reports that name it, and nothing is left behind`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (end, output, error) = try await run([
            "loadtest", "--arrivals", "30", "--duration", "4s", "--accounts", "8", "--plant-loss", "3%", "--json",
            "\(folder)/report.json", "--html", "\(folder)/report.html",
        ])
        #expect(end == .exited(2), "\(output)\(error)")
        let json = try JSONValue(
            parsing: Array(FileManager.default.contents(atPath: "\(folder)/report.json") ?? Data()))
        let lost = (json["conservation"]?["findings"]?.array ?? []).compactMap { $0["entry"]?.string }
        #expect(!lost.isEmpty)
        let page = String(
            decoding: FileManager.default.contents(atPath: "\(folder)/report.html") ?? Data(), as: UTF8.self)
        for entry in lost {
            #expect(output.contains(entry))
            #expect(page.contains(entry))
        }
        #expect(error.contains("hints are not accounted for"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            !["output", "complaints", "report.json", "report.html"].contains($0)
        }
        #expect(left.isEmpty, "\(left)")
    }

    @Test(arguments: [
        (["--arrivals", "fast"], "--arrivals must be jobs a second"),
        (["--arrivals", "foreground:5"], "needs --phones"),
        (["--devices", "99"], "--devices must be 1 to 32"),
        (["--html", "/nowhere/report.html"], "cannot write /nowhere/report.html"),
        (["--database", "postgres://a@127.0.0.1:1/x", "--kill-each"], "--kill-each needs a private stack"),
    ])
    func `a mistake on the command line is one line before anything starts`(
        _ arguments: [String], _ complaint: String
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (end, output, error) = try await run(["loadtest"] + arguments)
        #expect(end != .exited(0))
        #expect(output.isEmpty)
        #expect(error.contains(complaint), "\(error)")
        #expect(error.split(separator: "\n").count == 1, "\(error)")
    }
}
