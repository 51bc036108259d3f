import AMQP
import Delivery
import Messages
import Postgres
import Storage

extension OutboxStore {
    /// The hint message (W3) from the claim's row.
    func hint(_ row: Row, _ route: RouteRow) throws(PostgresError) -> Claim {
        let entry: Identifier = try row["entry"]
        let seq = Int(try row["seq"] as Int32)
        let life = Int(try row["life"] as Int32)
        let claimedAt: Timestamp = try row["claimed_at"]
        guard let documentType = DocumentType(rawValue: try row["document_type"]),
            let kind = TokenKind(rawValue: try row["token_kind"])
        else { throw PostgresError(.decoding, "a job or token of a kind that this program does not know") }
        let hint = Hint(
            entry: entry, seq: seq, life: life, publishedAt: claimedAt.milliseconds,
            deadline: (try row["deadline"] as Timestamp).milliseconds, job: try row["job"], documentType: documentType,
            route: route.route, device: try row["device"],
            token: Hint.SealedToken(kind: kind, sealed: try row["sealed"], key: try row["sealing_key"]),
            fingerprint: try row["fingerprint"], registeredAt: (try row["registered_at"] as Timestamp).milliseconds,
            expiresAt: (try row["expires_at"] as Timestamp).milliseconds)
        var headers: Headers = [
            Header.seq.rawValue: .integer(Int64(seq)), Header.life.rawValue: .integer(Int64(life)),
        ]
        if let traceparent = try row["traceparent"] as String? {
            headers[Header.traceparent.rawValue] = .string(traceparent)
        }
        let message = Message(
            exchange: "hints", routingKey: route.route.queue, messageID: entry.description,
            type: MessageType.hint.rawValue, headers: headers, body: hint.encoded(),
            timestamp: UInt64(max(0, claimedAt.milliseconds / 1000)))
        return try claim(.hint, row, route.number, entry, message, claimedAt)
    }

    /// The stored event as it was written.
    func event(_ row: Row) throws(PostgresError) -> Claim {
        let createdAt: Timestamp = try row["created_at"]
        let message = Message(
            exchange: try row["exchange"], routingKey: try row["routing_key"],
            messageID: (try row["message_id"] as Identifier).description, type: try row["type"],
            headers: Self.headers(json: try row["headers"]), body: try row["body"],
            timestamp: UInt64(max(0, createdAt.milliseconds / 1000)))
        return try claim(.event, row, RouteTable.events, try row["entry"], message, try row["claimed_at"])
    }

    private func claim(
        _ kind: Claim.Kind, _ row: Row, _ route: Int16, _ entry: Identifier, _ message: Message, _ claimedAt: Timestamp
    ) throws(PostgresError) -> Claim {
        Claim(
            kind: kind, lease: Lease(id: try row["id"], token: try row["lease_token"]), route: route, entry: entry,
            message: message,
            isSuspect: Int(try row["crashes"] as Int32) >= configuration.suspectAfter,
            createdAt: try row["created_at"], claimedAt: claimedAt, isFirst: try row["seq"] as Int32 == 1, takenAt: .now
        )
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
