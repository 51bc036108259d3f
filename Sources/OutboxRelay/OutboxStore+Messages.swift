import AMQP
import Delivery
import Messages
import Postgres
import Storage

extension OutboxStore {
    /// The hint message (W3) from the claim's row.
    func hint(
        _ row: Row, _ columns: HintColumns, _ route: RouteRow, takenAt: ContinuousClock.Instant
    ) throws(PostgresError) -> Claim {
        let entry: Identifier = try row[columns.entry]
        let seq = Int(try row[columns.seq] as Int32)
        let life = Int(try row[columns.life] as Int32)
        let claimedAt: Timestamp = try row[columns.claimedAt]
        guard let documentType = DocumentType(rawValue: try row[columns.documentType]),
            let kind = TokenKind(rawValue: try row[columns.tokenKind])
        else { throw PostgresError(.decoding, "a job or token of a kind that this program does not know") }
        let hint = Hint(
            entry: entry, seq: seq, life: life, publishedAt: claimedAt.milliseconds,
            deadline: (try row[columns.deadline] as Timestamp).milliseconds, job: try row[columns.job],
            documentType: documentType, route: route.route, device: try row[columns.device],
            token: Hint.SealedToken(
                kind: kind, sealed: try row[columns.sealed], key: try row[columns.sealingKey]),
            fingerprint: try row[columns.fingerprint],
            registeredAt: (try row[columns.registeredAt] as Timestamp).milliseconds,
            expiresAt: (try row[columns.expiresAt] as Timestamp).milliseconds)
        var headers: Headers = [
            Header.seq.rawValue: .integer(Int64(seq)), Header.life.rawValue: .integer(Int64(life)),
        ]
        if let traceparent = try row[columns.traceparent] as String? {
            headers[Header.traceparent.rawValue] = .string(traceparent)
        }
        let message = Message(
            exchange: "hints", routingKey: route.queue, messageID: entry.description,
            type: MessageType.hint.rawValue, headers: headers, body: hint.encoded(),
            timestamp: UInt64(max(0, claimedAt.milliseconds / 1000)))
        return Claim(
            kind: .hint, lease: Lease(id: try row[columns.id], token: try row[columns.leaseToken]), route: route.number,
            entry: entry, message: message,
            isSuspect: Int(try row[columns.crashes] as Int32) >= configuration.suspectAfter,
            createdAt: try row[columns.createdAt], claimedAt: claimedAt, isFirst: seq == 1, takenAt: takenAt)
    }

    /// The stored event as it was written.
    func event(_ row: Row, takenAt: ContinuousClock.Instant) throws(PostgresError) -> Claim {
        let createdAt: Timestamp = try row["created_at"]
        let message = Message(
            exchange: try row["exchange"], routingKey: try row["routing_key"],
            messageID: (try row["message_id"] as Identifier).description, type: try row["type"],
            headers: Self.headers(json: try row["headers"]), body: try row["body"],
            timestamp: UInt64(max(0, createdAt.milliseconds / 1000)))
        return Claim(
            kind: .event, lease: Lease(id: try row["id"], token: try row["lease_token"]), route: RouteTable.events,
            entry: try row["entry"], message: message,
            isSuspect: Int(try row["crashes"] as Int32) >= configuration.suspectAfter, createdAt: createdAt,
            claimedAt: try row["claimed_at"], isFirst: try row["seq"] as Int32 == 1, takenAt: takenAt)
    }

    /// Text, numbers and flags of a JSON object; deeper values have no place in a header.
    static func headers(json: String) -> Headers {
        guard let object = try? JSONValue(parsing: Array(json.utf8)).object else { return [:] }
        return object.compactMapValues { value in
            if let text = value.string { return .string(text) }
            if let number = value.integer { return .integer(number) }
            if let flag = value.bool { return .boolean(flag) }
            return nil
        }
    }
}
