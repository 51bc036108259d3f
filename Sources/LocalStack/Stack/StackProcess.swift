public import Daemon
import FoundationEssentials
import Glibc
import HTTPClient

/// One process of a stack, of either executable. It tells its addresses in the JSON lines that it writes.
public actor StackProcess {
    public nonisolated let name: String
    public nonisolated let child: ChildProcess

    /// `logPath` gets what it writes, and is its own: what an earlier process said is no announcement of this one.
    public init(_ name: String, _ command: ProcessCommand, logPath: String) throws(CommandFailure) {
        self.name = name
        child = try ChildProcess(name, command, logPath: logPath)
    }

    /// The text fields of the first line whose message is `message`; the failure of the process if it ends before.
    public func announcement(
        _ message: String, within timeout: Duration = .seconds(60)
    ) async throws -> [String: String] {
        var found: [String: String]?
        try await wait(within: timeout) {
            found =
                child.log.split(separator: "\n").lazy.compactMap { JSONLine($0) }.first {
                    $0.texts["message"] == message
                }?.texts
            if found == nil, !child.identity.isRunning { throw await ended() }
            return found != nil
        } late: {
            CommandFailure(.temporary, "\(name) did not say '\(message)' within \(timeout): \(child.lastLine)")
        }
        return found ?? [:]
    }

    /// Waits until its admin port says that it is ready.
    public func ready(within timeout: Duration = .seconds(60)) async throws {
        let admin = try await announcement("admin listening")["address"] ?? ""
        let client = Client()
        var last = "no answer"
        do {
            try await wait(within: timeout) {
                if !child.identity.isRunning { throw await ended() }
                guard let answer = try? await client.send(Request("GET", "http://\(admin)/readyz")) else {
                    return false
                }
                last = answer.text
                return answer.status == 200
            } late: {
                CommandFailure(.temporary, "\(name) is not ready after \(timeout): \(last)")
            }
            await client.close()
        } catch {
            await client.close()
            throw error
        }
    }

    private func ended() async -> CommandFailure {
        _ = await child.ended(within: .seconds(1))
        return CommandFailure(.temporary, "\(name) ended: \(child.lastLine)")
    }
}
