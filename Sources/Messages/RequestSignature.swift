public import Delivery

/// What of an HTTP request is signed (K5).
public struct SignedRequest: Equatable, Sendable {
    /// Upper case.
    public var method: String
    /// The Host header: lower case, port only if it is not the scheme's own.
    public var authority: String
    /// Absolute, as sent, without the query.
    public var path: String
    /// As sent, without the question mark; empty if there is none.
    public var query: String
    /// SHA-256 of the raw body and its type; `nil` when the request has no body.
    public var content: Content?

    public struct Content: Equatable, Sendable {
        public var digest: [UInt8]
        public var type: String

        public init(digest: [UInt8], type: String) {
            self.digest = digest
            self.type = type
        }
    }

    public init(method: String, authority: String, path: String, query: String = "", content: Content? = nil) {
        self.method = method
        self.authority = authority
        self.path = path
        self.query = query
        self.content = content
    }
}

/// The fixed profile of RFC 9421 that devices sign with: which components, which parameters; never an algorithm.
public struct RequestSignature: Equatable, Sendable {
    public static let label = "sig1"
    public static let tag = "cheqi-device-v1"
    /// How far `created` may be from the gateway's clock, either way.
    public static let windowSeconds: Int64 = 120

    /// The device's id.
    public let keyID: Identifier
    /// Epoch seconds.
    public let created: Int64
    /// Whether digest and type of a body are covered.
    public let coversContent: Bool
    /// The inner list with its parameters, exactly as sent: the value of `@signature-params`.
    private let parameters: String

    /// For signing a request.
    public init(keyID: Identifier, created: Int64, coversContent: Bool) {
        self.keyID = keyID
        self.created = created
        self.coversContent = coversContent
        let list = RequestSignature.components(coversContent).map { "\"\($0)\"" }.joined(separator: " ")
        parameters = "(\(list));created=\(created);keyid=\"\(keyID)\";tag=\"\(RequestSignature.tag)\""
    }

    /// For checking one: the value of `Signature-Input`. `nil` unless it is the profile to the letter; parameters may
    /// come in any order.
    public init?(input: String) {
        let prefix = "\(RequestSignature.label)="
        guard input.hasPrefix(prefix) else { return nil }
        let parameters = String(input.dropFirst(prefix.count))
        guard parameters.hasPrefix("("), let end = parameters.firstIndex(of: ")") else { return nil }
        let list = parameters[parameters.index(after: parameters.startIndex)..<end]
            .split(separator: " " as Character, omittingEmptySubsequences: false).map(String.init)
        let coversContent = list.count == 6
        guard list == RequestSignature.components(coversContent).map({ "\"\($0)\"" }) else { return nil }
        var seen: [String: String] = [:]
        let rest = parameters[parameters.index(after: end)...]
        guard rest.hasPrefix(";") else { return nil }
        for parameter in rest.dropFirst().split(separator: ";" as Character, omittingEmptySubsequences: false) {
            let pair = parameter.split(separator: "=" as Character, maxSplits: 1).map(String.init)
            guard pair.count == 2, seen.updateValue(pair[1], forKey: pair[0]) == nil else { return nil }
        }
        guard seen.count == 3, seen["tag"] == "\"\(RequestSignature.tag)\"",
            let created = seen["created"].flatMap(Int64.init), created >= 0,
            let key = seen["keyid"], key.count == 38, key.hasPrefix("\""), key.hasSuffix("\""),
            let keyID = Identifier(key.dropFirst().dropLast())
        else { return nil }
        self.keyID = keyID
        self.created = created
        self.coversContent = coversContent
        self.parameters = parameters
    }

    /// The value of the `Signature-Input` header.
    public var input: String { "\(RequestSignature.label)=\(parameters)" }

    /// The bytes to sign or verify (RFC 9421, 2.5); `nil` if body and covered components do not go together.
    public func base(of request: SignedRequest) -> [UInt8]? {
        guard coversContent == (request.content != nil) else { return nil }
        var lines = [
            "\"@method\": \(request.method)", "\"@authority\": \(request.authority)", "\"@path\": \(request.path)",
            "\"@query\": ?\(request.query)",
        ]
        if let content = request.content {
            lines.append("\"content-digest\": \(RequestSignature.contentDigest(content.digest))")
            lines.append("\"content-type\": \(content.type)")
        }
        lines.append("\"@signature-params\": \(parameters)")
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Whether `created` is inside the window around now, in epoch seconds.
    public func isFresh(at now: Int64) -> Bool {
        let (difference, overflow) = created.subtractingReportingOverflow(now)
        return !overflow && difference.magnitude <= UInt64(RequestSignature.windowSeconds)
    }

    /// The value of the `Signature` header.
    public static func header(_ signature: [UInt8]) -> String { "\(label)=:\(Base64.encode(signature)):" }

    /// The signature of a `Signature` header that holds exactly ours.
    public static func signature(inHeader value: String) -> [UInt8]? { bytes(of: value, named: label) }

    /// The value of the `Content-Digest` header (RFC 9530).
    public static func contentDigest(_ sha256: [UInt8]) -> String { "sha-256=:\(Base64.encode(sha256)):" }

    /// The SHA-256 of a `Content-Digest` header that holds exactly that.
    public static func digest(inHeader value: String) -> [UInt8]? {
        guard let digest = bytes(of: value, named: "sha-256"), digest.count == 32 else { return nil }
        return digest
    }

    private static func bytes(of value: String, named name: String) -> [UInt8]? {
        let prefix = "\(name)=:"
        guard value.hasPrefix(prefix), value.hasSuffix(":"), value.utf8.count > prefix.utf8.count else { return nil }
        return Base64.decode(value.dropFirst(prefix.count).dropLast())
    }

    private static func components(_ coversContent: Bool) -> [String] {
        ["@method", "@authority", "@path", "@query"] + (coversContent ? ["content-digest", "content-type"] : [])
    }
}
