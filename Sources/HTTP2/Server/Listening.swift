import CLinux
import Glibc

/// A non-blocking listening socket.
enum Listening {
    /// The descriptor and the port it got.
    static func open(host: String, port: UInt16) throws(HTTP2Error) -> (descriptor: Int32, port: UInt16) {
        let addresses = try SocketAddress.lookUp(host: host, port: port, passive: true).get()
        var reason = "no address"
        for address in addresses {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(address.family, type, 0)
            guard descriptor >= 0 else { continue }
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            if address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1024) == 0 {
                return (descriptor, Self.port(of: descriptor))
            }
            reason = String(cString: strerror(clinux_errno()))
            Glibc.close(descriptor)
        }
        throw HTTP2Error("listen on \(host):\(port): \(reason)")
    }

    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    static func close(_ listener: Int32) { _ = Glibc.close(listener) }

    private static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { raw in
            let address = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            getsockname(descriptor, address, &length)
            // The port is at the same place for both families, in network order.
            return UInt16(raw[2]) << 8 | UInt16(raw[3])
        }
    }
}
