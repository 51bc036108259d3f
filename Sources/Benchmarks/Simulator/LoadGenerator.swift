import Daemon
import FoundationEssentials
import LocalStack

/// `h2load`, the load generator of nghttp2.
struct LoadGenerator {
    private static let program = "/usr/bin/h2load"

    let requests: Int
    let connections: Int
    let streams: Int
    let headers: [String]
    let bodyFile: String
    let folder: String

    /// Requests a second that `url` answered with 2xx; throws if it failed one.
    func rate(of url: String, paths: [String]) async throws -> Double {
        let list = "\(folder)/urls.txt"
        try Data(paths.map { url + $0 + "\n" }.joined().utf8).write(to: URL(filePath: list))
        var arguments = ["-n", "\(requests)", "-c", "\(connections)", "-m", "\(streams)", "-d", bodyFile, "-i", list]
        for header in headers { arguments += ["-H", header] }
        let output = try await run(arguments)
        guard let rate = Self.rate(output), output.contains("status codes: \(requests) 2xx") else {
            throw Unusable(
                "h2load against \(url): \(output.split(separator: "\n").last.map(String.init) ?? "no output")")
        }
        return rate
    }

    func version() async throws -> String {
        try await run(["--version"]).split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    /// From `finished in 1.84s, 108501.12 req/s, 2.81MB/s`.
    static func rate(_ output: String) -> Double? {
        let words = output.split(whereSeparator: \.isWhitespace)
        guard let unit = words.firstIndex(of: "req/s,"), unit > words.startIndex else { return nil }
        return Double(words[unit - 1])
    }

    private func run(_ arguments: [String]) async throws -> String {
        let log = "\(folder)/h2load.log"
        try? FileManager.default.removeItem(atPath: log)
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw CommandFailure(
                .systemFile, "no h2load: install the Debian package nghttp2-client (scripts/test does)")
        }
        let child = try ChildProcess("h2load", ProcessCommand(Self.program, arguments), logPath: log)
        guard try await child.endUncancelled(after: .seconds(120)) == .exited(0) else {
            await child.end(within: .seconds(1))
            throw Unusable("h2load: \(child.lastLine)")
        }
        return child.log
    }
}
