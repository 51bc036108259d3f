import CLinux
import Glibc

/// Where a socket connects to or listens: an address and a port, as the system knows them.
struct SocketAddress: Hashable, Sendable {
    let family: Int32
    private let bytes: [UInt8]

    init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        family = Int32(address.pointee.sa_family)
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // Copied, because sockaddr wants an alignment that an array of bytes doesn't promise.
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { raw in
            bytes.withUnsafeBytes { raw.copyMemory(from: $0) }
            return body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    /// Blocks: the system's resolver, fresh every time. Addresses in the system's order of preference.
    static func lookUp(host: String, port: UInt16, passive: Bool = false) -> Result<[SocketAddress], HTTP2Error> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &list)
        guard failure == 0 else {
            return .failure(HTTP2Error("name \(host): \(String(cString: gai_strerror(failure)))"))
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                found.append(SocketAddress(address, length: entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        return .success(found)
    }
}
