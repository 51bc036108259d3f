import Delivery
import Postgres
import Storage

/// What belongs to entries without being part of their rows.
extension HistoryReading {
    /// Every token that a device of the history ever had, the newest first.
    func addTokens(to history: inout JobHistory, _ transaction: Transaction) async throws(PostgresError) {
        var tokens: [Identifier: [TokenHistory]] = [:]
        for row in try await transaction.query(
            """
            SELECT device_id, fingerprint, concat_ws('.', provider, nullif(environment, ''), app) AS route, state,
                   state_reason, state_at, registered_at, not_before, judge_at
            FROM delivery.push_token WHERE device_id = ANY (\(history.entries.map(\.device)))
            ORDER BY registered_at DESC, token_id DESC
            """)
        {
            let token = TokenHistory(
                fingerprint: try row["fingerprint"], route: try row["route"], state: try row["state"],
                stateReason: try row["state_reason"], stateAt: try row["state_at"],
                registeredAt: try row["registered_at"], notBefore: try row["not_before"], judgeAt: try row["judge_at"])
            tokens[try row["device_id"], default: []].append(token)
        }
        for index in history.entries.indices {
            history.entries[index].tokens = tokens[history.entries[index].device] ?? []
        }
    }

    func addLetters(to history: inout JobHistory, _ transaction: Transaction) async throws(PostgresError) {
        var letters: [Identifier: [DeadLetterHistory]] = [:]
        for row in try await transaction.query(
            """
            SELECT entry, dead_letter_id, queue, seq, reason, state, recorded_at, repeats FROM delivery.dead_letter
            WHERE entry = ANY (\(history.entries.map(\.entry))) ORDER BY dead_letter_id
            """)
        {
            let letter = DeadLetterHistory(
                number: try row["dead_letter_id"], queue: try row["queue"], seq: Int(try row["seq"] as Int32),
                reason: try row["reason"], state: try row["state"], recordedAt: try row["recorded_at"],
                repeats: Int(try row["repeats"] as Int32))
            letters[try row["entry"], default: []].append(letter)
        }
        for index in history.entries.indices {
            history.entries[index].letters = letters[history.entries[index].entry] ?? []
        }
    }

    /// Changes since the job's commit that were about it, or about so much that it may have been among it: no filter of
    /// theirs names another account, job, device, entry or route. The last twenty.
    func audit(of history: JobHistory, _ transaction: Transaction) async throws(PostgresError) -> [AuditLine] {
        let routes = Set(
            history.entries.flatMap { entry in [entry.due?.route].compactMap { $0 } + entry.tokens.map(\.route) })
        let rows = try await transaction.query(
            """
            SELECT at, actor, action, subject, detail ->> 'result' AS result, (detail ->> 'rows')::bigint AS rows
            FROM delivery.audit
            WHERE at >= \(history.createdAt)
              AND coalesce(detail -> 'filter' ->> 'account' = \(history.account), true)
              AND coalesce(detail -> 'filter' ->> 'job' = \(history.job.description), true)
              AND coalesce(detail -> 'filter' ->> 'device' = ANY (\(history.entries.map(\.device.description))), true)
              AND coalesce(detail -> 'filter' ->> 'entry' = ANY (\(history.entries.map(\.entry.description))), true)
              AND coalesce(detail -> 'filter' ->> 'route' = ANY (\(Array(routes))), true)
              AND (action NOT LIKE 'route %' OR subject = ANY (\(Array(routes))))
            ORDER BY audit_id DESC LIMIT 20
            """)
        var lines: [AuditLine] = []
        for row in rows {
            lines.append(
                AuditLine(
                    at: try row["at"], actor: try row["actor"], action: try row["action"], subject: try row["subject"],
                    result: try row["result"], rows: (try row["rows"] as Int64?).map(Int.init)))
        }
        return lines.reversed()
    }
}
