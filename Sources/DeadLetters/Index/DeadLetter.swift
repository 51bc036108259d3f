public import Delivery
public import Postgres

/// One row of the index of dead letters.
public struct DeadLetter: Equatable, Sendable {
    public let id: Int64
    /// Where its message is; `outbox` if the relay buried it and there is none.
    public let queue: String
    public let messageID: String
    /// A hint's seq.
    public let seq: Int
    public let type: String?
    public let reason: String
    /// The provider's answer.
    public let status: Int?
    public let providerID: String?
    public let failures: Int
    public let firstFailedAt: Timestamp?
    public let lastFailedAt: Timestamp?
    /// Where it was published to before it failed.
    public let exchange: String?
    public let routingKey: String?
    public let traceparent: String?
    public let job: Identifier?
    public let device: Identifier?
    public let entry: Identifier?
    public let state: String
    public let stateAt: Timestamp
    /// How often the same letter came again.
    public let repeats: Int
    public let recordedAt: Timestamp
    /// What a replay would do.
    public let verdict: ReplayVerdict

    init(_ row: Row) throws(PostgresError) {
        id = try row["dead_letter_id"]
        queue = try row["queue"]
        messageID = try row["message_id"]
        seq = Int(try row["seq"] as Int32)
        type = try row["type"]
        reason = try row["reason"]
        status = (try row["status"] as Int32?).map(Int.init)
        providerID = try row["provider_id"]
        failures = Int(try row["failures"] as Int32)
        firstFailedAt = try row["first_failed_at"]
        lastFailedAt = try row["last_failed_at"]
        exchange = try row["exchange"]
        routingKey = try row["routing_key"]
        traceparent = try row["traceparent"]
        job = try row["job_id"]
        device = try row["device_id"]
        entry = try row["entry"]
        state = try row["state"]
        stateAt = try row["state_at"]
        repeats = Int(try row["repeats"] as Int32)
        recordedAt = try row["recorded_at"]
        verdict = ReplayVerdict(rawValue: try row["verdict"]) ?? .gone
    }
}
