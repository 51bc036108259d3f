import Glibc
import HTTPServer

/// A connection inside this process: one end for the TLS side, the other served by a plain listener.
enum SocketPair {
    static func join(_ listener: Listener) -> Int32? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        do {
            try listener.addConnection(descriptor: ends[1])
            return ends[0]
        } catch {
            close(ends[0])
            return nil
        }
    }
}
