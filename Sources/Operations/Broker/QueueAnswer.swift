public import AMQP

/// What the broker said of a queue.
public enum QueueAnswer: Equatable, Sendable {
    case counts(QueueCounts)
    case missing
    /// Not asked, or no answer.
    case unknown

    var counts: QueueCounts? { if case .counts(let counts) = self { counts } else { nil } }
}

/// What the broker said of the queues that somebody asked about.
public struct BrokerAnswer: Equatable, Sendable {
    public var queues: [String: QueueAnswer]
    /// Why some or all are unknown, for people; nil if the broker answered.
    public var fault: String?

    public init(queues: [String: QueueAnswer] = [:], fault: String? = nil) {
        self.queues = queues
        self.fault = fault
    }

    public static let notAsked = BrokerAnswer(fault: "not asked: AMQP_URL is not set")

    public subscript(queue: String) -> QueueAnswer { queues[queue] ?? .unknown }
}
