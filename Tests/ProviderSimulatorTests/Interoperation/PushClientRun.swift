import Dispatch
import Glibc
import TestSupport

@testable import ProviderSimulator

/// All cases in one run of `push_clients.py`, whose start takes longer than any case.
enum PushClientRun {
    /// By the case's name. A run that failed as a whole fails every case with the same words.
    static let results = Task {
        let cases = APNSClientCases.refused + APNSClientCases.scripted + FCMClientCases.all
        let site = try await PushClientSite.start(cases)
        let output: String
        do {
            output = try await perform(site, cases)
        } catch {
            await site.end()
            throw error
        }
        await site.end()
        let lines = output.split(separator: "\n").compactMap { JSONValue(parsing: String($0)) }
        return Dictionary(lines.map { ($0["case"]?.string ?? "", $0) }) { _, new in new }
    }

    private static func perform(_ site: PushClientSite, _ cases: [PushClientCase]) async throws -> String {
        let python = try await shell("\(Repository.root)/scripts/python-environment").trimmed
        let orders = ScratchFile(site.orders(cases).text)
        // Both trust the simulator's authority alone: requests by the first name, httpx by the second.
        let trust = "REQUESTS_CA_BUNDLE=\(site.folder.authorityFile) SSL_CERT_FILE=\(site.folder.authorityFile)"
        return try await shell(
            "cd \(site.folder.path) && \(trust) timeout 120 \(python) -B "
                + "\(Repository.root)/Tests/Interoperation/push_clients.py <\(orders.path)")
    }

    /// On a thread of its own: tasks' threads are for the simulator.
    private static func shell(_ command: String) async throws -> String {
        let (output, status) = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { @Sendable in continuation.resume(returning: run(command)) }
        }
        // No `#require`: its error counts as told by whoever sees it first, and all other cases would pass.
        guard status == 0 else { throw RunFailure(description: "\(command) ended with status \(status >> 8)") }
        return output
    }

    private static func run(_ command: String) -> (output: String, status: Int32) {
        guard let stream = popen(command, "r") else { return ("", -1) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            if count == 0 { break }
            output.append(contentsOf: buffer[..<count])
        }
        return (String(decoding: output, as: UTF8.self), pclose(stream))
    }
}

struct RunFailure: Error, CustomStringConvertible {
    var description: String
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop(while: \.isWhitespace).reversed()) }
}
