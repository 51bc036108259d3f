/// What became of one published message.
public enum PublishResult: Equatable, Sendable {
    /// The broker has it, safely, in at least one queue.
    case confirmed
    /// The broker refused it (a full queue).
    case nacked
    /// No queue is bound for it; the broker threw it away after telling us.
    case returned(code: UInt16, text: String)
    /// It was written and nobody knows what the broker did with it.
    case unknown(String)
    /// Not one byte of it was written.
    case notWritten(String)
}

/// What a passive declare says about a queue.
public struct QueueCounts: Equatable, Sendable {
    /// Messages that no consumer holds.
    public var ready: Int
    public var consumers: Int

    public init(ready: Int, consumers: Int) {
        self.ready = ready
        self.consumers = consumers
    }
}
