import Dispatch
import Glibc

/// A blocking socket that says exactly what a test wants to say.
struct RawClient {
    let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure() }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    struct Failure: Error {}

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Everything until the server closes, or until `end` was seen.
    func receive(until end: String? = nil) async -> String {
        await withCheckedContinuation { continuation in
            // A blocking read would take a thread that tasks need.
            DispatchQueue.global().async { @Sendable in continuation.resume(returning: blockingReceive(until: end)) }
        }
    }

    private func blockingReceive(until end: String?) -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            all.append(contentsOf: buffer[..<count])
            if let end, String(decoding: all, as: UTF8.self).hasSuffix(end) { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    func close() { Glibc.close(descriptor) }
}
