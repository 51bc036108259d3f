import CNGHTTP2
import Glibc

/// One client's connection to a server. Once TLS is agreed on it is either an HTTP/2 session or a pipe to the HTTP/1.1
/// server behind.
final class ServerConnection {
    let id: Int
    let channel: Channel
    let settings: ServerSettings
    var streams: [Int32: ServerStream] = [:]
    /// Asked on the spot, in the session's callback.
    let decide: (ReceivedRequest) -> Reply
    /// Replies that need a task.
    var later: [(ReceivedRequest, @Sendable (Exchange) async -> Void)] = []
    var pipe: Http1Pipe?
    var isWatchedForWriting = false
    private(set) var session: Session?
    private let scratch: Scratch
    private let block = FieldBlock()

    init(
        id: Int, channel: Channel, settings: ServerSettings, scratch: Scratch,
        decide: @escaping (ReceivedRequest) -> Reply
    ) {
        self.id = id
        self.channel = channel
        self.settings = settings
        self.scratch = scratch
        self.decide = decide
    }

    func receive() {
        channel.receive(
            handshaken: { self.handshaken() },
            consume: { bytes in
                if let session = self.session { session.receive(bytes) } else { self.pipe?.toServer(bytes) }
            })
    }

    func flush() {
        if let session { session.flush() } else { channel.flush() }
    }

    private func handshaken() {
        if channel.tls.agreedProtocol == "h2" { return startSession() }
        guard let connect = settings.http1, let descriptor = connect() else {
            return channel.end("the client does not speak HTTP/2")
        }
        pipe = Http1Pipe(descriptor: descriptor)
    }

    private func startSession() {
        var handle: OpaquePointer?
        let callbacks = ServerCallbacks.make()
        nghttp2_session_server_new(&handle, callbacks, Unmanaged.passUnretained(self).toOpaque())
        nghttp2_session_callbacks_del(callbacks)
        guard let handle else { return channel.end("no memory for an HTTP/2 session") }
        session = Session(handle: handle, channel: channel, scratch: scratch)
        setConcurrentStreams(settings.concurrentStreams)
        nghttp2_session_set_local_window_size(handle, 0, 0, 1 << 28)
    }

    // MARK: What the server does on its streams. False: the stream is gone.

    @discardableResult
    func answer(_ id: Int32, _ response: Response) -> Bool {
        guard let stream = streams[id], !stream.isAnswered else { return false }
        stream.outgoing = response.body
        stream.isEnded = true
        return submit(id, stream, status: response.status, headers: response.headers)
    }

    func begin(_ id: Int32, status: Int, headers: Headers) -> Bool {
        guard let stream = streams[id], !stream.isAnswered else { return false }
        return submit(id, stream, status: status, headers: headers)
    }

    private func submit(_ id: Int32, _ stream: ServerStream, status: Int, headers: Headers) -> Bool {
        guard let session else { return false }
        stream.isAnswered = true
        block.removeAll()
        block.append(":status", String(status))
        block.append(headers)
        var body = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()),
            read_callback: ServerStream.readBody)
        let isEmpty = stream.isEnded && stream.outgoing.isEmpty
        return block.withPointers { fields, count in
            isEmpty
                ? nghttp2_submit_response(session.pointer, id, fields, count, nil) == 0
                : nghttp2_submit_response(session.pointer, id, fields, count, &body) == 0
        }
    }

    func write(_ id: Int32, _ bytes: [UInt8], end: Bool) -> Bool {
        guard let session, let stream = streams[id], stream.isAnswered, !stream.isEnded else { return false }
        stream.outgoing.append(contentsOf: bytes)
        stream.isEnded = end
        nghttp2_session_resume_data(session.pointer, id)
        return true
    }

    @discardableResult
    func reset(_ id: Int32, _ code: ErrorCode) -> Bool {
        guard let session, streams[id] != nil else { return false }
        session.flush()  // header fields that were begun go first
        return nghttp2_submit_rst_stream(session.pointer, 0, id, code.rawValue) == 0
    }

    // MARK: What it does on the connection

    func goAway(lastStream: Int32?, code: ErrorCode, debug: String) {
        guard let session else { return }
        let last = lastStream ?? nghttp2_session_get_last_proc_stream_id(session.pointer)
        let bytes = Array(debug.utf8)
        nghttp2_submit_goaway(session.pointer, 0, last, code.rawValue, bytes, bytes.count)
    }

    func setConcurrentStreams(_ count: UInt32) {
        guard let session else { return }
        let entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: count),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: 1 << 20),
        ]
        nghttp2_submit_settings(session.pointer, 0, entries, entries.count)
    }

    func silence() { channel.isSilent = true }

    func disconnect() {
        flush()
        channel.end("disconnected on purpose")
    }

    func writeRaw(_ bytes: [UInt8]) {
        flush()
        bytes.withUnsafeBytes { channel.write($0) }
    }

    func close() {
        if let session, channel.ending == nil, !channel.isSilent {
            nghttp2_session_terminate_session(session.pointer, ErrorCode.noError.rawValue)
            session.flush()
        }
        channel.close("server stopped")
    }
}
