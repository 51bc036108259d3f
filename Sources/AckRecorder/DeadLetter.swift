import AMQP
import Delivery
import Messages

/// One row of the index of dead letters, read from the copy that `dead.index` got.
struct DeadLetter: Equatable, Sendable {
    var queue: String
    var messageID: String
    /// A hint's seq; of anything else how often it was replayed.
    var seq: Int
    var type: String?
    var reason: String
    var status: Int?
    var providerID: String?
    var failures: Int
    var firstFailed: Int64?
    var lastFailed: Int64?
    var exchange: String?
    var routingKey: String?
    var traceparent: String?
    var job: Identifier?
    var device: Identifier?
    /// Only of hints: the entry that this letter ends.
    var entry: Identifier?

    /// The writer's own headers where it set them, else the broker's. What the body says is only taken where it can be
    /// read: a dead letter is often a message that can't.
    init(_ delivery: AMQP.Delivery) {
        let headers = delivery.headers
        func text(_ header: Header) -> String? { headers[header.rawValue]?.string }
        func number(_ header: Header) -> Int64? { headers[header.rawValue]?.integer }
        let death = headers["x-death"]?.firstTable
        queue = delivery.routingKey
        messageID = delivery.messageID
        type = delivery.type.isEmpty ? nil : delivery.type
        // What the broker says is newer: a replay takes its headers away and leaves ours.
        reason = death?["reason"]?.string ?? text(.reason) ?? headers["x-first-death-reason"]?.string ?? "unspecified"
        status = number(.status).map { Int(clamping: $0) }
        providerID = text(.providerID)
        failures = Int(clamping: number(.failures) ?? 0)
        firstFailed = number(.firstFailed)
        lastFailed = number(.lastFailed) ?? death?["time"]?.seconds.map { $0 * 1000 }
        exchange = text(.exchange) ?? headers["x-first-death-exchange"]?.string
        routingKey = text(.key) ?? death?["routing-keys"]?.firstText
        traceparent = text(.traceparent)
        // Of a version to come too: its entry has to end like any other.
        let isHint = delivery.type.hasPrefix("hint.")
        seq = Int(clamping: number(isHint ? .seq : .replay) ?? 0)
        entry = isHint ? Identifier(delivery.messageID) : nil
        switch MessageType(rawValue: delivery.type) {
        case .hint:
            if let hint = try? Hint(decoding: delivery.body) { (job, device) = (hint.job, hint.device) }
        case .deadHint:
            if let hint = try? DeadHint(decoding: delivery.body) { (job, device) = (hint.job, hint.device) }
        case .ack:
            if let ack = try? DeviceAck(decoding: delivery.body) { (job, device) = (ack.job, ack.device) }
        case .outcome, .downstream, .jobCommitted, .jobSubmitted, .jobExpired, .jobCancelled, .jobCompleted,
            .deviceRevoked, .deviceFailed, .deviceAcknowledged, .tokenCleared, nil:
            break
        }
    }
}

extension HeaderValue {
    /// The newest entry of `x-death`.
    fileprivate var firstTable: [String: HeaderValue]? {
        if case .array(let values) = self, case .table(let table)? = values.first { table } else { nil }
    }

    fileprivate var firstText: String? { if case .array(let values) = self { values.first?.string } else { nil } }

    fileprivate var seconds: Int64? { if case .timestamp(let value) = self { Int64(clamping: value) } else { nil } }
}
