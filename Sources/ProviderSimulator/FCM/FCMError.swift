import HTTP2

/// Every refusal of FCM's HTTP v1 interface that the simulator knows, with its envelope word by word.
public enum FCMError: String, CaseIterable, Sendable {
    case invalidToken = "INVALID_ARGUMENT_TOKEN"
    /// The same without the field violation, as some answers have it.
    case invalidTokenPlain = "INVALID_ARGUMENT_TOKEN_PLAIN"
    case invalidArgument = "INVALID_ARGUMENT"
    case messageTooBig = "INVALID_ARGUMENT_SIZE"
    case unregistered = "UNREGISTERED"
    case notFound = "NOT_FOUND"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case permissionDenied = "PERMISSION_DENIED"
    case serviceDisabled = "SERVICE_DISABLED"
    case unauthenticated = "UNAUTHENTICATED"
    /// The same for a request without any credential.
    case credentialsMissing = "UNAUTHENTICATED_MISSING"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case deviceQuotaExceeded = "QUOTA_EXCEEDED_DEVICE"
    case internalError = "INTERNAL"
    case unavailable = "UNAVAILABLE"
    case unspecified = "UNSPECIFIED_ERROR"

    public var status: Int {
        switch self {
        case .invalidToken, .invalidTokenPlain, .invalidArgument, .messageTooBig, .unspecified: 400
        case .unauthenticated, .credentialsMissing, .thirdPartyAuthError: 401
        case .senderIDMismatch, .permissionDenied, .serviceDisabled: 403
        case .unregistered, .notFound: 404
        case .quotaExceeded, .deviceQuotaExceeded: 429
        case .internalError: 500
        case .unavailable: 503
        }
    }

    /// `error.status` of the envelope.
    private var rpcStatus: String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 429: "RESOURCE_EXHAUSTED"
        case 500: "INTERNAL"
        default: "UNAVAILABLE"
        }
    }

    /// `errorCode` of the detail `FcmError`; nil where FCM sends none.
    private var fcmCode: String? {
        switch self {
        case .invalidToken, .invalidTokenPlain, .invalidArgument: "INVALID_ARGUMENT"
        case .unregistered, .senderIDMismatch, .thirdPartyAuthError, .quotaExceeded, .unavailable: rawValue
        case .deviceQuotaExceeded: "QUOTA_EXCEEDED"
        case .internalError: "INTERNAL"
        case .unspecified: "UNSPECIFIED_ERROR"
        case .messageTooBig, .notFound, .permissionDenied, .serviceDisabled, .unauthenticated, .credentialsMissing: nil
        }
    }

    private var message: String {
        switch self {
        case .invalidToken, .invalidTokenPlain: "The registration token is not a valid FCM registration token"
        case .invalidArgument: "Request contains an invalid argument."
        case .messageTooBig: "Android message is too big"
        case .unregistered, .notFound: "Requested entity was not found."
        case .senderIDMismatch: "SenderId mismatch"
        case .permissionDenied:
            "Permission 'cloudmessaging.messages.create' denied on resource "
                + "'//cloudresourcemanager.googleapis.com/projects/' (or it may not exist)."
        case .serviceDisabled:
            "Firebase Cloud Messaging API has not been used in this project before or it is disabled."
        case .unauthenticated:
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
                + "valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
        case .credentialsMissing:
            "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or "
                + "other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
        case .thirdPartyAuthError: "Auth error from APNS or Web Push Service"
        case .quotaExceeded: "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute'."
        case .deviceQuotaExceeded: "The message rate to this device is too high."
        case .internalError: "Internal error encountered."
        case .unavailable: "The service is currently unavailable."
        case .unspecified: "Unspecified error."
        }
    }

    /// `text` replaces the usual message; `violations` are (field, description) of a `BadRequest` detail.
    func answer(
        text: String? = nil, violations: [(String, String)] = [], retryAfter: String? = nil
    ) -> ProviderAnswer {
        var details: [JSONValue] = []
        var violations = violations
        if self == .invalidToken && violations.isEmpty {
            violations = [("message.token", "Invalid registration token")]
        }
        if let fcmCode {
            details.append([
                "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(fcmCode),
            ])
        }
        if !violations.isEmpty {
            let list = violations.map { violation -> JSONValue in
                ["field": .string(violation.0), "description": .string(violation.1)]
            }
            details.append([
                "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": .array(list),
            ])
        }
        if let more = detail { details.append(more) }
        var error: [JSONValue.Member] = [
            .init("code", .integer(Int64(status))), .init("message", .string(text ?? message)),
            .init("status", .string(rpcStatus)),
        ]
        if !details.isEmpty { error.append(.init("details", .array(details))) }
        var answer = ProviderAnswer(
            status: status, headers: ["content-type": "application/json; charset=UTF-8"],
            body: JSONValue.object([.init("error", .object(error))]).bytes, reason: rawValue)
        if let retryAfter { answer.headers.append("retry-after", retryAfter) }
        if self == .unauthenticated || self == .credentialsMissing {
            answer.headers.append("www-authenticate", "Bearer realm=\"https://accounts.google.com/\"")
        }
        return answer
    }

    private var detail: JSONValue? {
        switch self {
        case .permissionDenied: Self.info("IAM_PERMISSION_DENIED", domain: "iam.googleapis.com")
        case .serviceDisabled: Self.info("SERVICE_DISABLED", domain: "googleapis.com")
        case .unauthenticated: Self.info("ACCESS_TOKEN_TYPE_UNSUPPORTED", domain: "googleapis.com")
        case .credentialsMissing: Self.info("CREDENTIALS_MISSING", domain: "googleapis.com")
        case .quotaExceeded:
            Self.quota(subject: "project", "Quota exceeded for the project: 600000 messages a minute.")
        case .deviceQuotaExceeded: Self.quota(subject: "device", "Too many messages to one device.")
        default: nil
        }
    }

    private static func info(_ reason: String, domain: String) -> JSONValue {
        [
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason), "domain": .string(domain),
        ]
    }

    private static func quota(subject: String, _ description: String) -> JSONValue {
        let violation: JSONValue = ["subject": .string(subject), "description": .string(description)]
        return ["@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]]
    }
}
