/// Why there is no answer. `description` is one line without user, password or query.
public struct HTTPClientError: Error, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        case invalidRequest
        case unresolvable
        case unreachable
        case timedOut
        /// Handshake, certificate or host name.
        case untrusted
        case bodyTooLarge
        /// The connection broke or the peer did not speak HTTP; the request may have been processed.
        case broken
        case cancelled
        case closed
    }

    public var kind: Kind
    public var request: String
    public var detail: String

    public init(_ kind: Kind, request: String, detail: String) {
        self.kind = kind
        self.request = request
        self.detail = detail
    }

    public var description: String { "\(request): \(detail)" }
}
