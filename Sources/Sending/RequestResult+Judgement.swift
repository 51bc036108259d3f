public import Delivery
public import HTTP2

extension RequestResult {
    /// The judgement of a request without a complete answer; nil for an answer, which the provider's table judges.
    public var judgement: Judgement? {
        switch self {
        case .answer: nil
        case .unprocessed(let why): Judgement(.retryNow(thenPause: false), reason: why.word)
        case .ambiguous(let why): Judgement(.ambiguous, status: why.status, reason: why.word)
        }
    }
}

extension Unprocessed {
    fileprivate var word: String {
        switch self {
        case .deadline: "no stream in time"
        case .queueFull: "too many requests wait"
        case .unreachable(let text): "unreachable: \(text)"
        case .connectionLost: "connection lost before sending"
        case .goAway(let goAway): "goaway \(goAway.code)"
        case .refusedStream: "refused stream"
        case .cancelled, .closed: "stopping"
        }
    }
}

extension Ambiguous {
    /// The words of table (b).
    fileprivate var word: String {
        switch self {
        case .timeout: "timeout"
        case .reset, .connectionLost, .answerTooLarge, .malformedAnswer: "reset"
        case .goAway: "goaway"
        case .cancelled, .closed: "stopping"
        }
    }

    fileprivate var status: Int? {
        switch self {
        case .reset(_, let status), .answerTooLarge(let status): status
        default: nil
        }
    }
}
