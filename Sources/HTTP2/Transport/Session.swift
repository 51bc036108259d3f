import CNGHTTP2

/// An nghttp2 session over a channel: frames in, frames out. The owner makes the session with its own callbacks and
/// frees it through this class.
final class Session {
    let channel: Channel
    private let handle: OpaquePointer
    private let scratch: Scratch

    /// Takes over `handle`.
    init(handle: OpaquePointer, channel: Channel, scratch: Scratch) {
        self.handle = handle
        self.channel = channel
        self.scratch = scratch
    }

    deinit { nghttp2_session_del(handle) }

    var pointer: OpaquePointer { handle }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        let taken = nghttp2_session_mem_recv(
            handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        if taken < 0 { channel.end("HTTP/2: \(Self.text(Int32(taken)))") }
    }

    /// Moves frames into TLS and TLS bytes into the socket, until there are none or the socket is full.
    func flush() {
        while channel.ending == nil {
            let isComplete = stage()
            channel.flush()
            // A full socket wakes the owner when it has room again.
            if isComplete || channel.wantsWrite { break }
        }
        if channel.ending == nil, isOver, channel.backlog == 0 { channel.close("HTTP/2 session is over") }
    }

    /// Packs frames into full TLS records. False: stopped because enough waits for the socket.
    private func stage() -> Bool {
        var filled = 0
        defer { if filled > 0 { channel.write(UnsafeRawBufferPointer(rebasing: scratch.record[..<filled])) } }
        while channel.ending == nil {
            if channel.backlog >= 256 * 1024 { return false }
            var frames: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &frames)
            guard count > 0, let frames else {
                if count < 0 { channel.end("HTTP/2: \(Self.text(Int32(count)))") }
                return true
            }
            var offset = 0
            while offset < count {
                let part = min(scratch.record.count - filled, count - offset)
                (scratch.record.baseAddress! + filled).copyMemory(from: frames + offset, byteCount: part)
                filled += part
                offset += part
                if filled == scratch.record.count {
                    channel.write(UnsafeRawBufferPointer(scratch.record))
                    filled = 0
                }
            }
        }
        return true
    }

    /// Both sides said what they had to.
    var isOver: Bool { nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0 }

    static func text(_ code: Int32) -> String { String(cString: nghttp2_strerror(code)) }
}
