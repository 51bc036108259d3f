public import Daemon
import Postgres

/// How a change ended.
public struct ChangeResult: Equatable, Sendable {
    public var changed = 0
    public var isInterrupted = false
    /// Its line in the audit.
    public var audit: Int64
}

/// A change from its audit line to its end, batch by batch. A stop that is requested meanwhile ends it after the batch that
/// runs; what was done stays done, and the same command goes on from there.
public struct ChangeRun: Sendable {
    private let site: ChangeSite

    public init(_ site: ChangeSite) { self.site = site }

    public func run(
        _ kind: ChangeKind, _ filter: DueFilter, until shutdown: Shutdown, progress: (Int) -> Void = { _ in }
    ) async throws -> ChangeResult {
        let subject = filter.words.isEmpty ? "all" : filter.words
        let change = try await site.begin(kind.command, subject: subject, filter: filter.json)
        var result = ChangeResult(audit: change)
        var last: Int64 = 0
        return try await recorded(change) {
            while let step = try await site.step(kind, change, filter, after: last) {
                last = step.last
                result.changed += step.changed
                progress(result.changed)
                if shutdown.isRequested {
                    result.isInterrupted = true
                    break
                }
            }
            return result
        }
    }

    /// Writes into the audit how `body` ended.
    package func recorded(_ change: Int64, _ body: () async throws -> ChangeResult) async throws -> ChangeResult {
        do {
            let result = try await body()
            try await site.end(change, result.isInterrupted ? "interrupted" : "done")
            return result
        } catch {
            // The database may be what failed; then the line stays at `running` with the rows of the last batch.
            try? await site.end(change, "failed: \(error)")
            throw error
        }
    }
}
