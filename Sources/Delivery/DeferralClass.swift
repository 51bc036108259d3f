/// Why a row of `due` waits for later, as far as a metric's label may tell: a short list, whatever providers answer.
/// `due.last_error` begins with the kind of the last outcome, or with what the relay met at the broker.
public enum DeferralClass: String, CaseIterable, Sendable {
    /// The provider said later (`deferred …`).
    case provider
    /// Nobody knows whether the provider took it (`ambiguous …`).
    case ambiguous
    case tokenSuspect = "token_suspect"
    case returned
    /// The broker refused it or nobody was bound.
    case broker
    /// Set aside or cooling down since before this row was tried.
    case token
    case other

    public init(lastError text: String) {
        self =
            if text.isEmpty {
                .token
            } else if text.hasPrefix("deferred") || text.hasPrefix("token_dead") {
                .provider
            } else if text.hasPrefix("ambiguous") {
                .ambiguous
            } else if text.hasPrefix("token_suspect") {
                .tokenSuspect
            } else if text.hasPrefix("returned_") {
                .returned
            } else if text.hasPrefix("nacked") || text.hasPrefix("returned by") || text.hasPrefix("the destination") {
                .broker
            } else {
                .other
            }
    }
}
