import Daemon
import HTTPClient
import LocalStack

/// Follows the simulator's list of answers and tells the ledger of each.
struct AnswerReader: Sendable {
    let providers: ProviderControl
    let ledger: Ledger
    /// Whose lines fit into an answer that the client takes.
    private static let page = 20_000

    /// The number of the newest answer, before a test begins.
    func newest() async throws -> Int {
        let client = Client()
        var last = 0
        do {
            while true {
                let lines = try await lines(client, after: last, limit: Self.page, wait: 0)
                guard let end = lines.last.flatMap(Answer.number) else { break }
                last = end
            }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        return last
    }

    /// Until its task is cancelled, and then until nothing is left. Throws if the simulator forgot some before they were read:
    /// a test without them proves nothing.
    func run(after first: Int) async throws {
        let client = Client()
        var last = first
        var failure: (any Error)?
        do {
            while true {
                let isOver = Task.isCancelled
                let reader = Task { [last] in try await page(client, after: last, wait: isOver ? 0 : 1) }
                let end = try await reader.value
                if end == last, isOver { break }
                last = end
            }
        } catch {
            failure = error
        }
        await client.close()
        if let failure { throw failure }
    }

    /// The number of the last line. In a task of its own, which no cancellation cuts short.
    private func page(_ client: Client, after last: Int, wait: Int) async throws -> Int {
        let lines = try await lines(client, after: last, limit: Self.page, wait: wait)
        guard let first = lines.first.flatMap(Answer.number), let end = lines.last.flatMap(Answer.number) else {
            return last
        }
        guard first == last + 1 else {
            throw CommandFailure(
                .temporary, "the simulator forgot \(first - last - 1) requests before they were read: load it less")
        }
        await ledger.answered(lines.compactMap { Answer($0) })
        // Many in one question cost less than many questions.
        if !Task.isCancelled, lines.count < 2000, wait > 0 { try await Task.sleep(for: .milliseconds(50)) }
        return end
    }

    private func lines(
        _ client: Client, after last: Int, limit: Int, wait: Int
    ) async throws -> [ArraySlice<UInt8>] {
        let response = try await client.send(
            Request("GET", "\(providers.url)/answers?after=\(last)&limit=\(limit)&waitSeconds=\(wait)"))
        guard response.status == 200 else {
            throw CommandFailure(.protocolError, "the simulator answered GET /answers with \(response.status)")
        }
        return response.body.split(separator: 0x0A)
    }
}
