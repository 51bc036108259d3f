import Delivery
public import Messages

/// What to make of a push payload. Nothing of a payload is stored but a valid job id and document type.
public enum HintVerdict: Equatable, Sendable {
    case work(WorkHint)
    /// A newer server speaks: an ordinary sync still gets the work.
    case unknown
    /// Not ours, damaged or malicious: counted, nothing is fetched.
    case invalid

    /// Payloads above this are not looked into.
    public static let longestPayload = 4096

    /// Reads the custom fields of an APNs payload, or the data map of an FCM message written as one JSON object.
    public init(payload: [UInt8]) {
        guard payload.count <= HintVerdict.longestPayload, let value = try? JSONValue(parsing: payload) else {
            self = .invalid
            return
        }
        self.init(fields: value)
    }

    /// The event type is compared exactly; the version may be the number or the string (FCM knows only strings).
    public init(fields: JSONValue) {
        guard let type = fields["eventType"]?.string, let version = HintVerdict.version(fields["eventVersion"]) else {
            self = .invalid
            return
        }
        guard type == WorkHint.eventType, version == Int64(WorkHint.eventVersion) else {
            self = .unknown
            return
        }
        guard let job = fields["jobId"]?.string.flatMap({ Identifier($0) }), HintVerdict.isUUID(job),
            let name = fields["documentType"]?.string
        else {
            self = .invalid
            return
        }
        guard let documentType = DocumentType(rawValue: name) else {
            self = .unknown
            return
        }
        self = .work(WorkHint(job: job, documentType: documentType))
    }

    /// The variant of RFC 9562; the version is the producer's affair.
    private static func isUUID(_ job: Identifier) -> Bool { job.bytes[8] >> 6 == 2 }

    private static func version(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let number): number
        case .string(let text): text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
        default: nil
        }
    }
}
