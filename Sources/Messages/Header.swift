/// AMQP headers of ours (W5), and the one that is everybody's.
public enum Header: String, Hashable, Sendable, CaseIterable {
    case seq = "md-seq"
    case life = "md-life"
    case reason = "md-reason"
    case status = "md-status"
    case failures = "md-failures"
    case firstFailed = "md-first-failed"
    case lastFailed = "md-last-failed"
    case providerID = "md-provider-id"
    case exchange = "md-exchange"
    case key = "md-key"
    case replay = "md-replay"
    case traceparent
}
