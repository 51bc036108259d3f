import FoundationEssentials
import HTTP2
import LocalStack
import Messages

/// Other people's clients, each in a process of its own.
struct PeerClients {
    let programs: Programs
    let folder: PrivateFolder
    let server: BareServer
    let load: HTTP2Load

    /// nghttp2's load generator: requests a second.
    func h2load(_ kind: HTTP2Load.Kind, connections: Int, requests: Int) async throws -> Double {
        var arguments = [
            "-n", "\(requests)", "-c", "\(connections)", "-m", "\(load.window)", "-i", try write(paths: .absolute),
        ]
        if kind == .push {
            arguments += ["-d", try writeBody()]
            for field in load.constantFields { arguments += ["-H", "\(field.name): \(field.value)"] }
        }
        let output = try await run("h2load", "/usr/bin/h2load", arguments)
        // finished in 3.57s, 168133.21 req/s, 1.60MB/s
        guard output.contains("\(requests) succeeded, 0 failed, 0 errored"),
            let line = output.split(separator: "\n").first(where: { $0.hasPrefix("finished in") }),
            let rate = line.split(separator: " ").dropFirst(3).first.flatMap({ Double($0) })
        else { throw Unusable("h2load failed: \(output.split(separator: "\n").last ?? "no output")") }
        return rate
    }

    /// A libcurl multi loop.
    func libcurl(requests: Int) async throws -> (rate: Double, failed: Int64) {
        let output = try await run(
            "bare-http2-client", programs.bareHTTP2Client,
            [
                "localhost", "\(server.port)", server.authorityFile, "\(requests)", "\(load.window)",
                try write(paths: .plain), try writeBody(),
            ])
        guard let line = output.split(separator: "\n").last, let result = JSONLine(line),
            let answered = result.numbers["answered"], let failed = result.numbers["failed"],
            let microseconds = result.numbers["microseconds"], microseconds > 0
        else { throw Unusable("the libcurl loop failed: \(output.split(separator: "\n").last ?? "no output")") }
        return (Double(answered) / Double(microseconds) * 1_000_000, failed)
    }

    private enum PathForm {
        case plain
        /// h2load wants an address in the first line.
        case absolute
    }

    private func write(paths form: PathForm) throws -> String {
        let file = "\(folder.path)/paths-\(form)"
        let prefix = form == .absolute ? "https://127.0.0.1:\(server.port)" : ""
        try folder.write(prefix + load.paths.joined(separator: "\n") + "\n", to: file)
        return file
    }

    private func writeBody() throws -> String {
        let file = "\(folder.path)/body.json"
        try folder.write(String(decoding: load.body, as: UTF8.self), to: file)
        return file
    }

    private func run(_ name: String, _ program: String, _ arguments: [String]) async throws -> String {
        let log = "\(folder.path)/\(name).log"
        try? FileManager.default.removeItem(atPath: log)
        let child = try ChildProcess(name, ProcessCommand(program, arguments), logPath: log)
        do {
            guard try await child.endUncancelled(after: .seconds(120)) == .exited(0) else {
                throw Unusable("\(name) failed: \(child.lastLine)")
            }
            return child.log
        } catch {
            await child.end(within: .seconds(1))
            throw error
        }
    }
}
