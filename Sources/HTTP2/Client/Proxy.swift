/// An HTTP proxy that opens tunnels (`CONNECT`). TLS goes through the tunnel, so that the proxy sees the provider's name
/// and nothing else.
public struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address or an IPv6 address without brackets.
    public var host: String
    public var port: UInt16
    /// `user:password` for Basic authentication. Never printed.
    public var credentials: String?

    public init(host: String, port: UInt16, credentials: String? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// `http://[user:password@]host[:port]`, the scheme and a slash at the end optional; port 80 unless said. Name and
    /// password are percent-encoded. Nil for anything else, a proxy that itself wants TLS included.
    public init?(url: String) {
        var rest = Substring(url)
        if url.lowercased().hasPrefix("http://") { rest = rest.dropFirst(7) }
        if rest.last == "/" { rest.removeLast() }
        // Neither a path nor another scheme; in a password it is encoded.
        guard !rest.contains("/") else { return nil }
        credentials = nil
        if let at = rest.lastIndex(of: "@") {
            guard let decoded = Self.decoded(rest[..<at]), !decoded.isEmpty else { return nil }
            credentials = decoded
            rest = rest[rest.index(after: at)...]
        }
        // What is left reads like an origin, but for the port that is meant when none is said.
        let hasPort = rest.last != "]" && rest.contains(":")
        guard let origin = Origin(url: "https://\(hasPort ? String(rest) : "\(rest):80")") else { return nil }
        host = origin.host
        port = origin.port
    }

    /// Without the credentials.
    public var description: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// With the credentials, percent-encoded: what `init(url:)` reads. Not to be printed.
    public var address: String {
        guard let credentials else { return description }
        var isPassword = false
        var encoded = ""
        for byte in credentials.utf8 {
            let isPlain = byte >= 0x30 && byte <= 0x39 || (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
            if isPlain || byte == UInt8(ascii: ":") && !isPassword {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
                isPassword = isPassword || byte == UInt8(ascii: ":")
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return "http://\(encoded)@\(description.dropFirst(7))"
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16), rest.count >= 2 else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
