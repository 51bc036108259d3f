/// What FCM said about one message, with what the error's details hold.
public struct FCMAnswer: Hashable, Sendable {
    public var status: Int
    /// `name` of a success: the id of the message.
    public var name: String?
    /// `FcmError.errorCode`.
    public var errorCode: String?
    /// `error.status` of the envelope, such as NOT_FOUND; nil if the body is not that envelope.
    public var rpcStatus: String?
    public var message: String?
    /// `field` of each `BadRequest` violation.
    public var violatedFields: [String]
    /// Subject and description of each `QuotaFailure` violation.
    public var quotas: [String]
    /// Seconds, already clamped (`RetryAfter`).
    public var retryAfter: Int?

    public init(
        status: Int, name: String? = nil, errorCode: String? = nil, rpcStatus: String? = nil, message: String? = nil,
        violatedFields: [String] = [], quotas: [String] = [], retryAfter: Int? = nil
    ) {
        self.status = status
        self.name = name
        self.errorCode = errorCode
        self.rpcStatus = rpcStatus
        self.message = message
        self.violatedFields = violatedFields
        self.quotas = quotas
        self.retryAfter = retryAfter
    }

    private enum Rule {
        case suspect, dead, refresh, quota, retryLater, pause, byFields
    }

    /// First question: `FcmError.errorCode`.
    private static let codes: [String: Rule] = [
        "UNREGISTERED": .dead,
        "SENDER_ID_MISMATCH": .suspect,
        "INVALID_ARGUMENT": .byFields,
        "QUOTA_EXCEEDED": .quota,
        "UNAVAILABLE": .retryLater,
        "INTERNAL": .retryLater,
        "THIRD_PARTY_AUTH_ERROR": .pause,
    ]

    /// Second: the status word of the envelope, when there is no `FcmError`.
    private static let statuses: [String: Rule] = [
        "INVALID_ARGUMENT": .byFields,
        "UNAUTHENTICATED": .refresh,
        // The API is switched off, or the service account lacks the right.
        "PERMISSION_DENIED": .pause,
        // A project that is not there; a token that is not there always comes with an `FcmError`.
        "NOT_FOUND": .pause,
        "RESOURCE_EXHAUSTED": .quota,
        "UNAVAILABLE": .retryLater,
        "INTERNAL": .retryLater,
    ]

    public var judgement: Judgement {
        Judgement(verdict, status: status, reason: errorCode ?? rpcStatus ?? (status == 200 ? "" : "status \(status)"))
    }

    private var verdict: Verdict {
        if status == 200, let name { return .accepted(id: name) }
        let rule = errorCode.flatMap { Self.codes[$0] } ?? (errorCode == nil ? ruleOfEnvelope : nil)
        guard let rule else { return Verdict(unknownStatus: status, retryAfter: retryAfter) }
        return switch rule {
        case .suspect: .tokenSuspect
        case .dead: .tokenDead(since: nil)
        case .refresh: .refreshCredentials
        case .quota: .retryLater(after: retryAfter, scope: quotaScope)
        case .retryLater: .retryLater(after: retryAfter, scope: .entry)
        case .pause: .pauseRoute(.credential)
        case .byFields: isAboutToken ? .tokenSuspect : .faultyRequest
        }
    }

    /// Third: the HTTP status, for pages that a proxy or front end wrote.
    private var ruleOfEnvelope: Rule? {
        if let rpcStatus, let rule = Self.statuses[rpcStatus] { return rule }
        return switch status {
        case 401: .refresh
        case 403, 404: .pause
        default: nil
        }
    }

    /// FCM names the field, or only says so in the message.
    private var isAboutToken: Bool {
        if !violatedFields.isEmpty { return violatedFields.allSatisfy { $0 == "message.token" || $0 == "message.fid" } }
        return message?.contains("registration token is not a valid FCM registration token") == true
    }

    /// Whose quota: one device's hints wait alone, a project's quota slows the route.
    private var quotaScope: DeferralScope {
        let isDevice = quotas.contains { quota in
            let words = quota.lowercased()
            return words.contains("device") || words.contains("token")
        }
        return isDevice ? .device : .route
    }
}
