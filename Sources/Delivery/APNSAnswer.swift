/// What APNs said about one notification.
public struct APNSAnswer: Hashable, Sendable {
    public var status: Int
    /// `reason` of the JSON body; nil for an empty body or one that is not such JSON.
    public var reason: String?
    /// `timestamp` of a 410: when the token was no longer valid, epoch milliseconds.
    public var timestamp: Int64?
    /// Seconds, already clamped (`RetryAfter`).
    public var retryAfter: Int?

    public init(status: Int, reason: String? = nil, timestamp: Int64? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    private enum Rule {
        case suspect, retryLater(DeferralScope), retryNow(thenPause: Bool), refresh, hold, pause(PauseExtent), faulty
    }

    /// Every documented reason, and those seen on the wire only. 410 is judged by its timestamp, whatever the reason.
    private static let rules: [String: Rule] = [
        // 400
        "BadCollapseId": .faulty,
        "BadDeviceToken": .suspect,
        "BadExpirationDate": .faulty,
        "BadMessageId": .faulty,
        "BadPriority": .faulty,
        "BadTopic": .pause(.route),
        "DeviceTokenNotForTopic": .suspect,
        "DuplicateHeaders": .faulty,
        "IdleTimeout": .retryNow(thenPause: false),
        "InvalidPushType": .faulty,
        "MissingDeviceToken": .faulty,
        "MissingTopic": .pause(.route),
        "PayloadEmpty": .faulty,
        "TopicDisallowed": .pause(.route),
        // 403
        "BadCertificate": .pause(.credential),
        "BadCertificateEnvironment": .pause(.credential),
        "ExpiredProviderToken": .refresh,
        "Forbidden": .pause(.credential),
        "InvalidProviderToken": .pause(.credential),
        // Every hint would meet it: burying one of them would mend nothing.
        "MissingProviderToken": .pause(.credential),
        "UnrelatedKeyIdInToken": .retryNow(thenPause: true),
        // Apple documents the first and sends the second.
        "BadEnvironmentKeyIdInToken": .pause(.credential),
        "BadEnvironmentKeyInToken": .pause(.credential),
        // 404, 405, 413
        "BadPath": .faulty,
        "MethodNotAllowed": .faulty,
        "PayloadTooLarge": .faulty,
        // 429
        "TooManyProviderTokenUpdates": .hold,
        "TooManyRequests": .retryLater(.device),
        // 500, 503
        "InternalServerError": .retryLater(.entry),
        "ServiceUnavailable": .retryLater(.entry),
        "Shutdown": .retryNow(thenPause: false),
    ]

    public var judgement: Judgement {
        Judgement(verdict, status: status, reason: reason ?? (status == 200 ? "" : "status \(status)"))
    }

    private var verdict: Verdict {
        switch status {
        case 200: return .accepted(id: nil)
        // Without the time nobody can tell whether the token was registered again since.
        case 410: return timestamp.map { .tokenDead(since: $0) } ?? .tokenSuspect
        default: break
        }
        guard let rule = reason.flatMap({ Self.rules[$0] }) else {
            return Verdict(unknownStatus: status, retryAfter: retryAfter)
        }
        return switch rule {
        case .suspect: .tokenSuspect
        case .retryLater(let scope): .retryLater(after: retryAfter, scope: scope)
        case .retryNow(let thenPause): .retryNow(thenPause: thenPause)
        case .refresh: .refreshCredentials
        case .hold: .holdCredentials
        case .pause(let extent): .pauseRoute(extent)
        case .faulty: .faultyRequest
        }
    }
}

extension Verdict {
    /// For a reason that no table has, an empty body, or one that is not the provider's JSON: by class of the status, and
    /// never anything about the token.
    init(unknownStatus status: Int, retryAfter: Int?) {
        self =
            switch status {
            // "Done", but not in the provider's words: it may have been taken.
            case 200..<300: .ambiguous
            case 429: .retryLater(after: retryAfter, scope: .route)
            case 400..<500: .faultyRequest
            // Redirects come from something between us and the provider.
            default: .retryLater(after: retryAfter, scope: .entry)
            }
    }
}
