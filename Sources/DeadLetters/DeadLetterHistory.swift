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
        /// Letters replayed or discarded.
        public let rows: Int
        /// The audit's own object: counts of what was skipped too.
        public let detail: String
    }

    public let lines: [Line]

    public static func read(from database: Database, atMost count: Int) async throws(PostgresError) -> DeadLetterHistory
    {
        var lines: [Line] = []
        for row in try await database.query(
            """
            SELECT audit_id, at, actor, action, subject, detail ->> 'result' AS result,
                   coalesce((detail ->> 'rows')::bigint, 0) AS rows, (detail - 'filter')::text AS detail
              FROM delivery.audit WHERE action LIKE 'dead %' ORDER BY audit_id DESC LIMIT \(Int32(count))
            """, within: .seconds(60))
        {
            lines.append(
                Line(
                    id: try row["audit_id"], at: try row["at"], actor: try row["actor"], action: try row["action"],
                    subject: try row["subject"], result: try row["result"] as String? ?? "",
                    rows: Int(try row["rows"] as Int64),
                    detail: try row["detail"]))
        }
        return DeadLetterHistory(lines: lines)
    }

    public func text() -> String {
        guard !lines.isEmpty else { return "nobody replayed or discarded anything\n" }
        return lines.map {
            "\($0.id)  \($0.at.utcText)  \($0.actor)  \($0.action) \($0.subject): \($0.result), "
                + "\(NumberText.counted($0.rows, "letter"))".printable + "\n"
        }.joined()
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
                        $0.member("detail", line.detail)
                    }
                }
            }
        }
    }
}
