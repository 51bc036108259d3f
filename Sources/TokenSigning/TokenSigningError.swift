import COpenSSL

/// What is wrong with a key or a token; the line never holds key material.
public struct TokenSigningError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    /// With what OpenSSL has to say, and its queue of errors emptied.
    static func openSSL(_ what: String) -> TokenSigningError {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let reason = ERR_reason_error_string(code) { reasons.append(String(cString: reason)) }
        }
        return TokenSigningError(reasons.isEmpty ? what : "\(what) (\(reasons.joined(separator: ", ")))")
    }
}
