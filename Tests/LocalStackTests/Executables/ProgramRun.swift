import FoundationEssentials
import LocalStack
import TestSupport

/// One run of a program to its end, with what it said.
struct ProgramRun {
    let termination: ChildProcess.Termination?
    let output: String
    /// Lines on standard error.
    let complaints: [String]

    static func of(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        within timeout: Duration = .seconds(120)
    ) async throws -> ProgramRun {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let folder = "\(base)/run-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let surroundings = ["PATH": "/usr/bin:/bin", "HOME": folder]
        let child = try ChildProcess(
            program,
            ProcessCommand(program, arguments, environment: surroundings.merging(environment) { _, own in own }),
            logPath: "\(folder)/output", errorPath: "\(folder)/errors")
        let termination = await child.end(after: timeout)
        let errors = FileManager.default.contents(atPath: "\(folder)/errors") ?? Data()
        return ProgramRun(
            termination: termination, output: child.log,
            complaints: String(decoding: errors, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// The two programs under test.
    static func programs() throws -> Programs { try Programs.besideThisOne(topology: "\(Repository.root)/topology") }
}
