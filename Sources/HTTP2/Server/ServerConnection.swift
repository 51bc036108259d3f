import CNGHTTP2
import Glibc

/// One client's connection to a server. Once TLS is agreed on it is either an HTTP/2 session or a row of HTTP/1.1
/// requests.
final class ServerConnection {
    let id: Int
    let channel: Channel
    let settings: ServerSettings
    /// Asked on the spot, in the session's callback.
    let decide: (ReceivedRequest) -> Reply
    /// Replies that need a task.
    var later: [(ReceivedRequest, @Sendable (Exchange) async -> Void)] = []
    var isWatchedForWriting = false
    /// PINGs since the last request.
    var pings = 0
    private(set) var session: Session?
    private(set) var http1: Http1Session?
    // Unchecked: one thread has it, and nothing here calls back into itself while it is read.
    @exclusivity(unchecked) private(set) var streams: [Int32: ServerStream] = [:]
    /// The stream that was used last, which is nearly always the one that is asked for next.
    @exclusivity(unchecked) private var recent: (id: Int32, stream: ServerStream)?
    /// The header block that is coming in; HTTP/2 never mixes two.
    @exclusivity(unchecked) var incoming = Headers([], room: usualFields)
    /// Most requests have fewer; growing step by step would copy all of it several times.
    static let usualFields = 20
    private let began = ContinuousClock.now
    private var lastRequest = ContinuousClock.now
    private var isLeaving = false
    private let scratch: Scratch

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
                if let session = self.session {
                    session.receive(bytes)
                } else if let http1 = self.http1 {
                    self.noteRequest()
                    http1.receive(bytes, self)
                }
            },
            answered: { self.flush() })
    }

    func flush() {
        if let session { session.flush() } else { channel.flush() }
        if let http1, http1.isOver, channel.backlog == 0 { channel.close("HTTP/1.1 connection is over") }
    }

    private func handshaken() {
        switch (channel.tls.agreedProtocol, settings.allowsHTTP1) {
        // A client that offers nothing knows what it speaks: aioapns and Apple's server understand each other so.
        case ("h2", _), (nil, false): return startSession()
        case (_, true): break
        case (_, false): return channel.end("the client does not speak HTTP/2")
        }
        http1 = Http1Session(bodyLimit: settings.bodyLimit)
    }

    private func startSession() {
        var handle: OpaquePointer?
        let callbacks = ServerCallbacks.make()
        nghttp2_session_server_new(&handle, callbacks, Unmanaged.passUnretained(self).toOpaque())
        nghttp2_session_callbacks_del(callbacks)
        guard let handle else { return channel.end("no memory for an HTTP/2 session") }
        session = Session(handle: handle, channel: channel, scratch: scratch)
        // Neither provider looks at priorities, and keeping their tree would cost a tenth of all work here.
        sendSettings(
            settings.concurrentStreams,
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1))
        nghttp2_session_set_local_window_size(handle, 0, 0, 1 << 28)
    }

    /// Does at once what a handler says, or puts it aside for a task.
    func follow(_ reply: Reply, _ request: ReceivedRequest) {
        switch reply {
        case .answer(let response): answer(request.stream, response)
        case .reset(let code): reset(request.stream, code)
        case .never: break
        case .later(let work): later.append((request, work))
        }
    }

    // MARK: Streams

    func begin(_ id: Int32) {
        noteRequest()
        let stream = ServerStream(began: channel.lastReceived)
        streams[id] = stream
        recent = (id, stream)
    }

    func stream(_ id: Int32) -> ServerStream? {
        if let recent, recent.id == id { return recent.stream }
        return streams[id]
    }

    func closed(_ id: Int32) {
        streams[id] = nil
        if recent?.id == id { recent = nil }
    }

    private func noteRequest() {
        lastRequest = channel.lastReceived
        pings = 0
    }

    /// Ends what has lasted too long.
    func check(_ now: ContinuousClock.Instant) {
        let limits = settings.limits
        if let upload = limits.upload {
            for (id, stream) in streams where !stream.isReceived && now - stream.began > upload {
                handle(id, stream, isComplete: false)
            }
        }
        guard !isLeaving else { return }
        if let age = limits.age, now - began > age {
            leave(limits.ageFarewell)
        } else if let idle = limits.idle, streams.isEmpty, http1?.isWaiting ?? true, now - lastRequest > idle {
            leave(limits.idleFarewell)
        }
    }

    private func leave(_ farewell: Farewell) {
        isLeaving = true
        goAway(lastStream: nil, farewell)
    }

    // MARK: What the server does on its streams. False: the stream is gone.

    @discardableResult
    func answer(_ id: Int32, _ response: Response) -> Bool {
        if let http1 { return http1.answer(id, response, self) }
        guard let stream = stream(id), !stream.isAnswered else { return false }
        stream.outgoing = response.body
        stream.isEnded = true
        return submit(id, stream, status: response.status, headers: response.headers)
    }

    func begin(_ id: Int32, status: Int, headers: Headers) -> Bool {
        if let http1 { return http1.begin(id, status: status, headers: headers, channel) }
        guard let stream = stream(id), !stream.isAnswered else { return false }
        return submit(id, stream, status: status, headers: headers)
    }

    private func submit(_ id: Int32, _ stream: ServerStream, status: Int, headers: Headers) -> Bool {
        guard let session else { return false }
        stream.isAnswered = true
        var body = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()),
            read_callback: ServerStream.readBody)
        let isEmpty = stream.isEnded && stream.outgoing.isEmpty
        var text = String(status)
        return text.withUTF8 { text in
            headers.lend(behind: [nghttp2_nv(":status", text)]) { fields, count in
                isEmpty
                    ? nghttp2_submit_response(session.pointer, id, fields, count, nil) == 0
                    : nghttp2_submit_response(session.pointer, id, fields, count, &body) == 0
            }
        }
    }

    func write(_ id: Int32, _ bytes: [UInt8], end: Bool) -> Bool {
        if let http1 { return http1.write(id, bytes, end: end, self) }
        guard let session, let stream = stream(id), stream.isAnswered, !stream.isEnded else { return false }
        stream.outgoing.append(contentsOf: bytes)
        stream.isEnded = end
        nghttp2_session_resume_data(session.pointer, id)
        return true
    }

    @discardableResult
    func reset(_ id: Int32, _ code: ErrorCode) -> Bool {
        if let http1 { return http1.reset(id, channel) }
        guard let session, streams[id] != nil else { return false }
        // Header fields that were begun go first. Inside a read nothing can have begun.
        if stream(id)?.isAnswered == true { session.flush() }
        return nghttp2_submit_rst_stream(session.pointer, 0, id, code.rawValue) == 0
    }

    // MARK: What it does on the connection

    func goAway(lastStream: Int32?, _ farewell: Farewell) {
        if let http1 { return http1.leave() }
        guard let session else { return }
        let last = lastStream ?? nghttp2_session_get_last_proc_stream_id(session.pointer)
        let bytes = Array(farewell.debug.utf8)
        nghttp2_submit_goaway(session.pointer, 0, last, farewell.code.rawValue, bytes, bytes.count)
    }

    func setConcurrentStreams(_ count: UInt32) { sendSettings(count) }

    private func sendSettings(_ count: UInt32, _ more: nghttp2_settings_entry...) {
        guard let session else { return }
        let entries =
            [
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: count),
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: 1 << 20),
            ] + more
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
