/// The hosts that are reached without the proxy, as `NO_PROXY` lists them: `*`; a name, which stands for itself and what
/// ends in `.name`; an address; each with `:port` if only that port is meant. Separated by commas.
public struct ProxyExceptions: Hashable, Sendable {
    private var isEverything = false
    private var entries: [Entry] = []

    private struct Entry: Hashable {
        let host: String
        let port: UInt16?
    }

    public init(_ list: String = "") {
        for part in list.split(whereSeparator: { $0 == "," || $0 == " " }) {
            if part == "*" {
                isEverything = true
            } else {
                entries.append(Self.entry(part.lowercased()))
            }
        }
    }

    /// Loopback addresses are always an exception: no proxy elsewhere reaches them.
    public func contain(_ origin: Origin) -> Bool {
        let host = origin.host.lowercased()
        if isEverything || host == "localhost" || host == "::1" || Self.isLoopback(host) { return true }
        return entries.contains { entry in
            guard entry.port == nil || entry.port == origin.port else { return false }
            return host == entry.host || host.hasSuffix(".\(entry.host)")
        }
    }

    private static func entry(_ text: String) -> Entry {
        var host = text[...]
        var port: UInt16?
        if host.first == "[", let end = host.firstIndex(of: "]") {
            port = host[end...].firstIndex(of: ":").flatMap { UInt16(host[host.index(after: $0)...]) }
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
            port = UInt16(host[host.index(after: colon)...])
            host = host[..<colon]
        }
        if host.hasPrefix("*.") { host = host.dropFirst() }
        return Entry(host: String(host.first == "." ? host.dropFirst() : host), port: port)
    }

    private static func isLoopback(_ host: String) -> Bool {
        host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }
}
