/// Why something could not be done at the broker. `description` is one line, safe to log: no password, no message body.
public struct AMQPError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Kind: Equatable, Sendable {
        /// The address could not be read.
        case malformedURL
        /// Nobody answers at any of the addresses.
        case unreachable
        /// A peer answered too late or not at all.
        case timedOut
        /// The certificate or the TLS handshake was refused.
        case encryption
        case wrongPassword
        case missingVirtualHost
        /// A queue or an exchange that does not exist (404).
        case missing
        /// The user may not do this (403).
        case accessRefused
        /// The broker closed the channel or the connection for another reason.
        case refused
        /// The connection ended without a word, or this side gave it up.
        case lost
        /// This side closed the connection.
        case stopped
    }

    public let kind: Kind
    /// The broker's reply code, if it gave one.
    public let code: UInt16?
    public let description: String

    public init(_ kind: Kind, code: UInt16? = nil, _ description: String) {
        self.kind = kind
        self.code = code
        self.description = description
    }

    /// What a `channel.close` or `connection.close` of the broker means.
    init(closedWith code: UInt16, text: String) {
        let kind: Kind =
            switch code {
            case 404: .missing
            case 403: .accessRefused
            default: .refused
            }
        self.init(kind, code: code, "the broker answered \(code): \(text)")
    }
}
