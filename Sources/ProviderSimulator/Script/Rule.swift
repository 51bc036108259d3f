/// "These requests, so often: do that."
public struct Rule: Hashable, Sendable {
    /// All that are given have to fit; none fits every request of APNs and FCM.
    public struct Match: Hashable, Sendable {
        /// `apns`, `fcm` or `oauth`.
        public var provider: String?
        public var environment: String?
        public var tokens: Set<String> = []
        public var tokenPrefix: String?
        /// Fits when the body contains this text (a job id, say).
        public var contains: String?

        public init() {}

        func fits(_ request: ProviderRequest, token: String?) -> Bool {
            // The token endpoint is meant only by name: a rule for all hints must not take the credentials away.
            if let provider { guard provider == request.service.provider else { return false } }
            if provider == nil, request.service == .oauth { return false }
            if let environment { guard environment == request.service.environment else { return false } }
            if !tokens.isEmpty { guard let token, tokens.contains(token) else { return false } }
            if let tokenPrefix { guard let token, token.hasPrefix(tokenPrefix) else { return false } }
            if let contains {
                guard String(decoding: request.body, as: UTF8.self).contains(contains) else { return false }
            }
            return true
        }
    }

    /// For the reader of script and counts.
    public var name: String?
    public var match = Match()
    /// Used so often; nil = always.
    public var times: Int?
    /// So many fitting requests go by first.
    public var after = 0
    /// From 0 to 1, for each fitting request.
    public var probability = 1.0
    public var action = Action()

    /// Fitting requests so far, and how often the rule was used.
    public internal(set) var seen = 0
    public internal(set) var used = 0

    public init() {}
}
