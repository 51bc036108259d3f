public import Delivery

/// What a dry run found out about one hint (B7): whether the provider would take its request.
public enum Rehearsal: Equatable, Sendable {
    case fit
    /// In the provider's words, or in ours for a request that does not keep to W1.
    case unfit(String)

    /// FCM's verdict on a message that it only validated.
    public init(_ judgement: Judgement) {
        if case .accepted = judgement.verdict { self = .fit } else { self = .unfit(judgement.reason) }
    }
}
