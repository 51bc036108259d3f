/// The `type` property of every message on the broker (W3).
public enum MessageType: String, Hashable, Sendable, CaseIterable {
    case hint = "hint.v1"
    case outcome = "outcome.v1"
    case ack = "ack.v1"
    case deadHint = "hint.dead.v1"
    case downstream = "downstream.v1"
    case jobCommitted = "job.committed.v1"
    case jobSubmitted = "job.submitted.v1"
    case jobExpired = "job.expired.v1"
    case jobCancelled = "job.cancelled.v1"
    case jobCompleted = "job.completed.v1"
    case deviceRevoked = "device.revoked.v1"
    case deviceFailed = "device.failed.v1"
    case deviceAcknowledged = "device.acknowledged.v1"
    case tokenCleared = "token.cleared.v1"

    /// The routing key of an event on exchange `events`: its type without the version.
    public var eventKey: String {
        rawValue.hasSuffix(".v1") ? String(rawValue.dropLast(3)) : rawValue
    }
}
