/// A problem document (RFC 9457) of the device API, `application/problem+json`; `type` is what programs read.
public struct DeviceAPIProblem: Equatable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case badRequest = "bad-request"
        case badSignature = "bad-signature"
        /// `created` is outside the window; `serverTime` says by how much.
        case clockSkew = "clock-skew"
        case deviceRevoked = "device-revoked"
        case badTicket = "bad-ticket"
        case keyConflict = "key-conflict"
        /// `highestRegistration` says which number was seen.
        case staleRegistration = "stale-registration"
        case badTokenFormat = "bad-token-format"
        /// The route is not one of the apps file.
        case unknownApp = "unknown-app"
        /// Unknown and not assigned alike.
        case notFound = "not-found"
        case gone
        case cursorExpired = "cursor-expired"
        case methodNotAllowed = "method-not-allowed"
        case tooLarge = "too-large"
        case unsupportedMediaType = "unsupported-media-type"
        case fanoutHeld = "fanout-held"
        case fanoutAlreadyDone = "fanout-already-done"
        case fanoutFenced = "fanout-fenced"
        case fanoutNotRequired = "fanout-not-required"
        /// This device holds a running lease: submit or release it before the ack.
        case fanoutOutstanding = "fanout-outstanding"
        case leaseExpired = "lease-expired"
        /// The attempt was granted before and its lease is over.
        case attemptSpent = "attempt-spent"
        case notGenerated = "not-generated"
        case submissionMismatch = "submission-mismatch"
        case recipientsMismatch = "recipients-mismatch"
        case tooManyRequests = "too-many-requests"
        case unavailable
        case internalError = "internal-error"
    }

    /// The URI in `type` is this followed by the kind.
    public static let typePrefix = "urn:mobile-delivery:problem:"

    /// `nil` for a kind that this version does not know.
    public var kind: Kind?
    public var status: Int
    public var title: String
    public var detail: String?
    /// The same request may succeed later.
    public var retryable: Bool
    public var currentEpoch: Int64?
    /// Epoch milliseconds.
    public var serverTime: Int64?
    public var highestRegistration: Int64?

    public init(
        kind: Kind?, status: Int, title: String, detail: String? = nil, retryable: Bool = false,
        currentEpoch: Int64? = nil, serverTime: Int64? = nil, highestRegistration: Int64? = nil
    ) {
        self.kind = kind
        self.status = status
        self.title = title
        self.detail = detail
        self.retryable = retryable
        self.currentEpoch = currentEpoch
        self.serverTime = serverTime
        self.highestRegistration = highestRegistration
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("type", kind.map { DeviceAPIProblem.typePrefix + $0.rawValue } ?? "about:blank")
            $0.member("title", title)
            $0.member("status", status)
            $0.member("detail", detail)
            $0.member("retryable", retryable)
            $0.member("currentEpoch", currentEpoch)
            $0.member("serverTime", serverTime)
            $0.member("highestRegistration", highestRegistration)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        let type = try reader.optionalString("type") ?? ""
        let known = type.hasPrefix(DeviceAPIProblem.typePrefix)
        self.init(
            kind: known ? Kind(rawValue: String(type.dropFirst(DeviceAPIProblem.typePrefix.count))) : nil,
            status: try reader.int("status"), title: try reader.optionalString("title") ?? "",
            detail: try reader.optionalString("detail"), retryable: try reader.bool("retryable", default: false),
            currentEpoch: try reader.optionalInteger("currentEpoch"),
            serverTime: try reader.optionalInteger("serverTime"),
            highestRegistration: try reader.optionalInteger("highestRegistration"))
    }
}
