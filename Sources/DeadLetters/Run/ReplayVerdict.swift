/// What a replay does with one letter, as `delivery.letter_verdicts` says: one word a reason to skip it.
public enum ReplayVerdict: String, Sendable, CaseIterable {
    case replay
    case message
    case replayedBefore = "replayed_before"
    case discarded
    case alive
    case acknowledged
    case expired
    case cancelled
    case revoked
    case noToken = "no_token"
    case gone
    case stray

    /// `12 letters would be skipped: …`.
    public var words: String {
        switch self {
        case .replay: "its hint goes out again, to the device's token of today"
        case .message: "not a hint: its bytes go from its queue back to the one that failed, which needs AMQP_URL"
        case .replayedBefore: "replayed before, or its entry failed again since"
        case .discarded: "discarded"
        case .alive: "its hint is on its way again, or was accepted"
        case .acknowledged: "the device has the receipt, or gave up on it"
        case .expired: "the job is past its expiry: nothing is replayed after it"
        case .cancelled: "the job was cancelled"
        case .revoked: "the device was revoked"
        case .noToken: "the device has no active token: it registers one when its app runs"
        case .gone: "its history was dropped"
        case .stray: "not one of our hints, so there is nothing to ring anybody with: it can only be discarded"
        }
    }
}
