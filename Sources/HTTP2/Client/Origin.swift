/// The one place that a client talks to.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address or an IPv6 address without brackets.
    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16 = 443) {
        self.host = host
        self.port = port
    }

    /// `https://host[:port]`, with or without a slash behind it; nil for anything else.
    public init?(url: String) {
        guard url.lowercased().hasPrefix("https://") else { return nil }
        var rest = url.dropFirst(8)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard !rest.isEmpty, !rest.contains(where: { "/?#@ ".contains($0) }) else { return nil }
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = String(rest[..<end])
            rest = rest[end...]
        }
        port = 443
        if !rest.isEmpty {
            guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
            port = number
        }
        guard !host.isEmpty else { return nil }
    }

    /// As in `:authority`.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    public var description: String { "https://\(authority)" }
}
