public import HTTP2

/// What a rule does instead of, or besides, answering honestly.
public struct Action: Hashable, Sendable {
    /// The answer's word (`Unregistered`, `QUOTA_EXCEEDED`, `invalid_grant`), or status and parts.
    public struct Answer: Hashable, Sendable {
        public var status: Int?
        public var reason: String?
        /// Of a 410, epoch milliseconds; now if absent.
        public var timestamp: Int64?
        /// As it stands in `Retry-After`.
        public var retryAfter: String?
        /// Literally this body.
        public var body: String?
    }

    public struct Farewell: Hashable, Sendable {
        /// Which streams the server still looks at.
        public enum Last: Hashable, Sendable {
            /// All but the one that made the rule fit and those after it.
            case before
            /// That one is answered too.
            case this
            /// Whatever came so far, as an honest server says it while more is under way.
            case newest
            case all
            case stream(Int32)
        }

        public var last = Last.this
        public var code = ErrorCode.noError
        /// APNs: put into JSON as `reason`. FCM: sent as it is.
        public var reason = ""
    }

    public var answer: Answer?
    /// Before the answer, or before whatever happens instead.
    public var delay: Delay?
    public var hang = false
    public var reset: ErrorCode?
    /// With `hang`, `reset`, `silence` or `disconnect`: the answer's header fields are sent first.
    public var afterHeaders = false
    /// The answer's body comes in two frames.
    public var split = false
    public var goAway: Farewell?
    /// New SETTINGS_MAX_CONCURRENT_STREAMS of the connection.
    public var streams: UInt32?
    public var silence = false
    public var disconnect = false
    /// Status of an HTML page from the front end.
    public var html: Int?
    /// Accepted, and never delivered to the phone.
    public var drop = false
    /// With `hang`, `reset`, `silence`, `disconnect` or an `answer`: the message is delivered all the same.
    public var deliver = false
    /// Claimed to be accepted, and known to nobody afterwards: no line of the journal, no delivery. A defect to look for.
    public var swallow = false
    /// Accepted and delivered as if the request had come twice. A defect to look for.
    public var twice = false
    /// FCM: an urgent message is delivered as a normal one, as happens to apps whose messages show nothing.
    public var deprioritise = false
    /// The token is unregistered from now on, since that time (epoch milliseconds).
    public var expire: Int64?
    /// Of a token endpoint: access tokens given out so far are refused from now on.
    public var revokeAccessTokens = false

    public init() {}

    /// Whether the request gets no honest answer.
    var breaksOff: Bool { hang || reset != nil || silence || disconnect }
}
