public import Delivery

/// The body of one FCM HTTP v1 request (W2): a data message, every value of `data` a string.
public struct FCMPayload: Equatable, Sendable {
    public var kind: TokenKind
    /// The opened token or installation id.
    public var token: String
    public var hint: WorkHint
    /// Whole seconds; clamped when written, because FCM refuses what is outside 1 … 2,419,200.
    public var timeToLive: Int64
    /// `validate_only`: FCM checks the request and sends nothing (B7).
    public var isDryRun: Bool

    public init(kind: TokenKind, token: String, hint: WorkHint, timeToLive: Int64, isDryRun: Bool = false) {
        self.kind = kind
        self.token = token
        self.hint = hint
        self.timeToLive = timeToLive
        self.isDryRun = isDryRun
    }

    /// FCM's longest, 28 days.
    public static let longestTimeToLive: Int64 = 2_419_200

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            if isDryRun { $0.member("validate_only", true) }
            $0.key("message")
            $0.object {
                $0.member(kind.rawValue, token)
                $0.key("data")
                $0.object {
                    $0.member("eventType", WorkHint.eventType)
                    $0.member("eventVersion", String(WorkHint.eventVersion))
                    $0.member("jobId", hint.job.description)
                    $0.member("documentType", hint.documentType.rawValue)
                }
                $0.key("android")
                $0.object {
                    $0.member("priority", "HIGH")
                    $0.member("ttl", "\(min(max(timeToLive, 1), FCMPayload.longestTimeToLive))s")
                }
            }
        }
    }
}
