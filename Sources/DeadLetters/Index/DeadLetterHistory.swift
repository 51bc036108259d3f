import Messages
import Operations
public import Postgres

/// What operators did with dead letters: lines of the audit, newest first.
public struct DeadLetterHistory: Sendable {
    public struct Line: Equatable, Sendable {
        public let id: Int64
        public let at: Timestamp
        public let actor: String
        public let action: String
        public let subject: String
        public let result: String
        /// Letters of hints replayed, or letters discarded.
        public let rows: Int
        /// Messages that are no hints, back in the queue that failed.
        public let messages: Int
        /// Copies of closed letters taken out of their queues.
        public let removed: Int
        /// Messages of `parking` that were discarded.
        public let parked: Int
        /// `5 acknowledged, 2 expired`; empty: none was skipped.
        public let skipped: String
        /// The audit's own object: counts of what was skipped too.
        public let detail: String
    }

    public let lines: [Line]

    public static func read(from database: Database, atMost count: Int) async throws(PostgresError) -> DeadLetterHistory
    {
        var lines: [Line] = []
        for row in try await database.query(
            """
            SELECT audit_id, at, actor, action, subject, delivery.result_of_change(detail) AS result,
                   coalesce((detail ->> 'rows')::bigint, 0) AS rows,
                   coalesce((detail ->> 'messages')::bigint, 0) AS messages,
                   coalesce((detail ->> 'removed')::bigint, 0) AS removed,
                   coalesce((detail ->> 'parked')::bigint, 0) AS parked,
                   (SELECT coalesce(string_agg(value || ' ' || substr(key, 9), ', ' ORDER BY key), '')
                      FROM jsonb_each_text(detail)
                     WHERE key LIKE 'skipped %' AND NOT (key = 'skipped message' AND detail ? 'messages')) AS skipped,
                   (detail - 'filter')::text AS detail
              FROM delivery.audit WHERE action LIKE 'dead %' ORDER BY audit_id DESC LIMIT \(Int32(count))
            """, within: .seconds(60))
        {
            lines.append(
                Line(
                    id: try row["audit_id"], at: try row["at"], actor: try row["actor"], action: try row["action"],
                    subject: try row["subject"], result: try row["result"] as String? ?? "",
                    rows: Int(try row["rows"] as Int64), messages: Int(try row["messages"] as Int64),
                    removed: Int(try row["removed"] as Int64), parked: Int(try row["parked"] as Int64),
                    skipped: try row["skipped"], detail: try row["detail"]))
        }
        return DeadLetterHistory(lines: lines)
    }

    public func text() -> String {
        guard !lines.isEmpty else { return "nobody replayed or discarded anything\n" }
        return lines.map {
            "\($0.id)  \($0.at.utcText)  \($0.actor)  \($0.action) \($0.subject): \(Self.words($0.result)), \(Self.counts($0))"
                .printable + "\n"
        }.joined()
    }

    private static func words(_ result: String) -> String {
        result == "died" ? "died on the way (run it again for the rest)" : result
    }

    private static func counts(_ line: Line) -> String {
        var parts: [String] = []
        if line.rows > 0 { parts.append(NumberText.counted(line.rows, "letter")) }
        if line.messages > 0 { parts.append(NumberText.counted(line.messages, "message")) }
        if line.parked > 0 { parts.append("\(NumberText.counted(line.parked, "message")) of parking") }
        if line.removed > 0 { parts.append("\(NumberText.counted(line.removed, "copy", "copies")) removed") }
        if !line.skipped.isEmpty { parts.append("skipped: \(line.skipped)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    public func json() -> [UInt8] {
        JSONWriter.object { object in
            object.key("history")
            object.array { array in
                for line in lines {
                    array.object {
                        $0.member("id", line.id)
                        $0.member("at", line.at.isoText)
                        $0.member("actor", line.actor)
                        $0.member("action", line.action)
                        $0.member("subject", line.subject)
                        $0.member("result", line.result)
                        $0.member("rows", line.rows)
                        $0.member("messages", line.messages)
                        $0.member("removed", line.removed)
                        $0.member("parked", line.parked)
                        $0.member("skipped", line.skipped)
                        $0.member("detail", line.detail)
                    }
                }
            }
        }
    }
}
