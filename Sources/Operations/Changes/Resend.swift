public import Daemon
import Delivery
public import Postgres

/// Events and fan-outs once more, under the same ids: for a broker that lost its data.
public struct Resend: Sendable {
    public struct Preview: Equatable, Sendable {
        public let events: Int
        /// Dead letters of hints, for the operators' queues.
        public let deadLetters: Int
        public let fanouts: Int

        public var total: Int { events + deadLetters + fanouts }

        public var words: String {
            "\(NumberText.counted(events, "event")), \(NumberText.counted(deadLetters, "dead letter")) of hints and "
                + NumberText.counted(fanouts, "fan-out")
        }
    }

    private let site: ChangeSite
    private let since: Timestamp

    public init(_ site: ChangeSite, since: Timestamp) {
        self.site = site
        self.since = since
    }

    public func preview() async throws(PostgresError) -> Preview {
        let row = try await site.database.query("SELECT * FROM delivery.preview_resend(\(since))", within: .seconds(60))
            .one()
        return Preview(
            events: Int(try row["events"] as Int64), deadLetters: Int(try row["dead_letters"] as Int64),
            fanouts: Int(try row["fanouts"] as Int64))
    }

    /// What is announced while it runs is not sent twice: it looks no further than its own beginning.
    public func run(until shutdown: Shutdown, progress: (Int) -> Void = { _ in }) async throws -> ChangeResult {
        let filter = "{\"since\":\"\(since.isoText)\"}"
        let change = try await site.begin("outbox resend", subject: "since \(since.utcText)", filter: filter)
        let began: Timestamp = try await site.database.query("SELECT clock_timestamp() AS now").one()["now"]
        var result = ChangeResult(audit: change)
        return try await ChangeRun(site).recorded(change) {
            for function in ["resend_events", "resend_fanouts"] {
                var page: Page? = Page(at: nil, id: nil, changed: 0)
                while let last = page, !shutdown.isRequested {
                    page = try await next(function, change, until: began, after: last)
                    result.changed += page?.changed ?? 0
                    progress(result.changed)
                }
            }
            result.isInterrupted = shutdown.isRequested
            return result
        }
    }

    private struct Page {
        let at: Timestamp?
        let id: Identifier?
        let changed: Int
    }

    private func next(
        _ function: String, _ change: Int64, until: Timestamp, after page: Page
    ) async throws(PostgresError) -> Page? {
        let at = [page.at].compactMap { $0 }
        let id = [page.id].compactMap { $0 }
        let row = try await site.database.query(
            """
            SELECT p.* FROM delivery.\(unescaped: function)(
                \(change), \(since), \(until), (\(at))[1], (\(id))[1], \(Int32(site.batch))) AS p (at, id, changed)
            """, within: .seconds(60)
        ).one()
        guard let reached: Timestamp = try row["at"] else { return nil }
        return Page(at: reached, id: try row["id"], changed: Int(try row["changed"] as Int32))
    }
}
