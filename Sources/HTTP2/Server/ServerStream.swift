import CNGHTTP2

/// A request that is coming in, or whose answer is going out.
final class ServerStream {
    // Unchecked: one thread has it, and nothing here calls back into itself.
    @exclusivity(unchecked) var fields = Headers()
    @exclusivity(unchecked) var body: [UInt8] = []
    /// When its header began to come.
    let began: ContinuousClock.Instant
    /// The request went to the handler.
    var isReceived = false
    var isAnswered = false
    var outgoing: [UInt8] = []
    var sent = 0
    var isEnded = false

    init(began: ContinuousClock.Instant) { self.began = began }

    /// Hands out what is there of the answer's body and waits for more unless it is ended.
    static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, space, flags, source, _ in
        let stream = Unmanaged<ServerStream>.fromOpaque(source!.pointee.ptr!).takeUnretainedValue()
        let count = min(space, stream.outgoing.count - stream.sent)
        if count == 0 && !stream.isEnded { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        stream.outgoing.withUnsafeBytes { bytes in
            if count > 0 {
                UnsafeMutableRawPointer(buffer!).copyMemory(from: bytes.baseAddress! + stream.sent, byteCount: count)
            }
        }
        stream.sent += count
        if stream.isEnded && stream.sent == stream.outgoing.count { flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }
}
