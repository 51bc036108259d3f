import CLinux
import Glibc

/// Carries the decrypted bytes of an HTTP/1.1 client to the plain server behind, and its answers back.
final class Http1Pipe {
    let descriptor: Int32
    private(set) var isOver = false
    private var waiting: [UInt8] = []

    /// Takes over `descriptor`.
    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    var wantsWrite: Bool { !waiting.isEmpty }

    func toServer(_ bytes: UnsafeRawBufferPointer) {
        waiting.append(contentsOf: bytes)
        // A request is small; a client that sends without end is cut off.
        if waiting.count > 4 << 20 { isOver = true }
        flush()
    }

    func flush() {
        while !waiting.isEmpty {
            let sent = waiting.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else {
                let code = clinux_errno()
                // Still connecting is "not connected" or "again"; the descriptor becomes writable later.
                if code != EAGAIN && code != EINTR && code != ENOTCONN { isOver = true }
                return
            }
            waiting.removeFirst(sent)
        }
    }

    func fromServer(_ channel: Channel, scratch: Scratch) {
        for _ in 0..<16 {
            let count = recv(descriptor, scratch.plain.baseAddress, scratch.plain.count, 0)
            guard count > 0 else {
                if count == 0 || (clinux_errno() != EAGAIN && clinux_errno() != EINTR) { isOver = true }
                return
            }
            channel.write(UnsafeRawBufferPointer(rebasing: scratch.plain[..<count]))
        }
    }
}
