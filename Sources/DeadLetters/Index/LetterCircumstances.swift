import Operations
public import Postgres

/// What has become of a letter's device, route and job since, which says whether its cause still holds.
public struct LetterCircumstances: Equatable, Sendable {
    /// The newest token of its device: its state, and since when it is registered.
    public var tokenState: String?
    public var tokenRegisteredAt: Timestamp?
    /// Of the route of today's token, else of the one that failed.
    public var pausedByHand: String?
    public var pausedBySenders: String?
    public var jobEnd: String?
    public var jobExpiresAt: Timestamp?
    public var deviceState: String?
    public var deviceFinishedAt: Timestamp?
    public var deviceOrigin: String?
    public var entryState: String?

    public init() {}

    public static func read(of letter: DeadLetter, from database: Database) async throws(PostgresError)
        -> LetterCircumstances
    {
        var found = LetterCircumstances()
        guard letter.entry != nil else { return found }
        let rows = try await database.query(
            """
            SELECT t.state AS token_state, t.registered_at,
                   CASE WHEN r.hand_paused THEN concat_ws(': ', 'by ' || r.hand_by, r.hand_reason) END AS by_hand,
                   CASE WHEN r.seen_paused THEN r.seen_reason END AS by_senders,
                   CASE WHEN j.cancelled_at IS NOT NULL THEN 'cancelled' WHEN j.completed_at IS NOT NULL THEN 'completed'
                        WHEN j.expired_at IS NOT NULL OR j.expires_at <= clock_timestamp() THEN 'expired' END AS job_end,
                   j.expires_at, d.state AS device_state, d.finished_at, d.origin, p.state AS entry_state
              FROM delivery.dead_letter l
              LEFT JOIN delivery.push_outbox p ON p.created_at = l.entry_created_at AND p.id = l.entry
              LEFT JOIN delivery.generation_job j ON j.job_id = p.job_id
              LEFT JOIN delivery.job_device d ON d.job_id = p.job_id AND d.device_id = p.device_id
              LEFT JOIN LATERAL (
                   SELECT k.state, k.registered_at, k.provider, k.environment, k.app FROM delivery.push_token k WHERE k.device_id = p.device_id
                    ORDER BY k.state = 'active' DESC, k.registered_at DESC LIMIT 1) t ON true
              LEFT JOIN delivery.route_state r ON r.route > 0 AND CASE
                   WHEN t.state = 'active'
                   THEN (r.provider, r.environment, r.app) = (t.provider, t.environment, t.app)
                   ELSE concat_ws('.', 'hints', r.provider, nullif(r.environment, ''), r.app) = l.routing_key END
             WHERE l.dead_letter_id = \(letter.id)
            """, within: .seconds(60))
        guard let row = rows.first else { return found }
        found.tokenState = try row["token_state"]
        found.tokenRegisteredAt = try row["registered_at"]
        found.pausedByHand = try row["by_hand"]
        found.pausedBySenders = try row["by_senders"]
        found.jobEnd = try row["job_end"]
        found.jobExpiresAt = try row["expires_at"]
        found.deviceState = try row["device_state"]
        found.deviceFinishedAt = try row["finished_at"]
        found.deviceOrigin = try row["origin"]
        found.entryState = try row["entry_state"]
        return found
    }

    /// Whether what killed the message would kill it again, as far as the tables know.
    func verdict(on letter: DeadLetter, now: Timestamp) -> String {
        switch letter.reason.prefix(while: { $0 != ":" }) {
        case "token", "token_disputed": tokenVerdict(letter, now)
        case "malformed", "unknown_version", "delivery_limit":
            "yes, unless its consumer has been replaced by one that can handle it since"
        default:
            switch (pausedByHand, pausedBySenders) {
            case (let hand?, _): "its route is paused \(hand)"
            case (nil, let reason?): "yes: its senders pause the route (\(reason))"
            case (nil, nil): "nothing says so: its route runs"
            }
        }
    }

    private func tokenVerdict(_ letter: DeadLetter, _ now: Timestamp) -> String {
        guard tokenState == "active", let registered = tokenRegisteredAt else {
            return "yes: the device has no active token" + (tokenState.map { " (its newest is \($0))" } ?? "")
        }
        let died = letter.lastFailedAt ?? letter.recordedAt
        return registered > died
            ? "no: the device registered a new token \(AgeText.distance(registered, from: now))"
            : "perhaps: its token is still the one of then, and in use"
    }

    /// The job and the device's part of it; nil if there is none.
    func workText(now: Timestamp) -> String? {
        guard let deviceState else { return nil }
        var parts: [String] = []
        if let jobEnd {
            parts.append("the job is \(jobEnd)")
        } else if let jobExpiresAt {
            parts.append("the job is open and expires \(AgeText.distance(jobExpiresAt, from: now))")
        }
        let when = deviceFinishedAt.map { " \(AgeText.distance($0, from: now))" } ?? ""
        let how = deviceState == "acknowledged" ? deviceOrigin.map { ", found by \($0)" } ?? "" : ""
        parts.append("for this device it is \(deviceState)\(when)\(how)")
        return parts.joined(separator: "; ")
    }
}
