import CRabbitMQ

/// The broker's answer to a question that was asked on a channel.
enum Reply: Equatable {
    case done
    case counts(QueueCounts)
}

/// Questions of one channel, answered in the order in which they were asked.
struct ReplyQueue {
    enum Outcome {
        case reply(Reply)
        /// The broker closed the channel because of this very question.
        case refused(AMQPError)
        /// An earlier question closed the channel; this one was never looked at.
        case notAsked
        case lost(AMQPError)
    }

    private struct Waiting {
        let continuation: CheckedContinuation<Outcome, Never>
        let deadline: ContinuousClock.Instant
    }

    private var waiting: [Waiting] = []

    var deadline: ContinuousClock.Instant? { waiting.first?.deadline }
    var isEmpty: Bool { waiting.isEmpty }

    mutating func asked(_ continuation: CheckedContinuation<Outcome, Never>, deadline: ContinuousClock.Instant) {
        waiting.append(Waiting(continuation: continuation, deadline: deadline))
    }

    mutating func answered(_ reply: Reply) {
        guard !waiting.isEmpty else { return }
        waiting.removeFirst().continuation.resume(returning: .reply(reply))
    }

    /// Returns whether somebody was waiting.
    mutating func channelClosed(_ error: AMQPError) -> Bool {
        let all = waiting
        waiting = []
        for (index, each) in all.enumerated() {
            each.continuation.resume(returning: index == 0 ? .refused(error) : .notAsked)
        }
        return !all.isEmpty
    }

    mutating func connectionLost(_ error: AMQPError) {
        let all = waiting
        waiting = []
        for each in all { each.continuation.resume(returning: .lost(error)) }
    }
}
