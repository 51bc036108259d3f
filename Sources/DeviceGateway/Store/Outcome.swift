import Messages
import Postgres

/// What a function of the schema answered, in its own words; everything but success is a problem of fixed meaning.
struct Outcome {
    let row: Row
    let word: String

    init(_ row: Row) throws(Problem) {
        self.row = row
        word = try GatewayStore.read { () throws(PostgresError) in try row.get("outcome", as: String.self) }
    }

    func get<Value: PostgresValue>(_ column: String, as type: Value.Type = Value.self) throws(Problem) -> Value {
        try GatewayStore.read { () throws(PostgresError) in try row.get(column, as: type) }
    }

    /// The problem that the word stands for.
    func problem() throws(Problem) -> Problem {
        switch word {
        case "revoked": return Problem(.deviceRevoked)
        case "not_found": return Problem(.notFound)
        case "gone": return Problem(.gone)
        case "bad_ticket": return Problem(.badTicket)
        case "conflict": return Problem(.keyConflict)
        case "stale": return Problem(.staleRegistration).with("highestRegistration", try get("highest"))
        case "unknown_app": return Problem(.unknownApp)
        case "outstanding": return Problem(.fanoutOutstanding)
        case "already_done": return Problem(.fanoutAlreadyDone).with("currentEpoch", try get("epoch"))
        case "fenced": return Problem(.fanoutFenced).with("currentEpoch", try get("epoch"))
        case "expired": return Problem(.leaseExpired).with("currentEpoch", try get("epoch"))
        case "attempt_spent": return Problem(.attemptSpent).with("currentEpoch", try get("epoch"))
        case "not_generated": return Problem(.notGenerated)
        case "not_required": return Problem(.fanoutNotRequired)
        case "mismatch": return Problem(.submissionMismatch)
        case "recipients": return Problem(.recipientsMismatch)
        case "ended": return Problem(.jobEnded)
        default: return Problem(.internalError)
        }
    }
}
