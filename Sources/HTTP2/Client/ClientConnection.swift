import CNGHTTP2

/// One connection of a client: socket, TLS, session and the requests on it. What nghttp2 calls back is noted in `news`,
/// which the client takes after every read or write; results go straight to the requests.
final class ClientConnection {
    /// What happened since the client last looked.
    struct News {
        var isReady = false
        var closedStreams = 0
        var answered = false
        /// The server refused a stream (REFUSED_STREAM) without a farewell.
        var isRefusing = false
        var limit: Int?
        var goAway: GoAway?
        /// It takes no more requests: all stream numbers are used up (about a thousand million requests).
        var isExhausted = false
    }

    let id: Pool.ID
    let address: SocketAddress
    let channel: Channel
    /// TLS and the first SETTINGS have to be done by then.
    let connectDeadline: ContinuousClock.Instant
    var vigil: Vigil
    var news = News()
    var goAway: GoAway?
    /// The requests that have a stream. nghttp2 holds unretained pointers to them until the stream is closed.
    private(set) var exchanges: [PendingRequest] = []
    /// What the owner last asked the reactor to watch for.
    var isWatchedForWriting = false

    let settings: ClientSettings
    let observe: (@Sendable (ClientEvent) -> Void)?
    private let origin: Origin
    private let authority: String
    private let scratch: Scratch
    private(set) var session: Session?

    init(
        id: Pool.ID, address: SocketAddress, channel: Channel, origin: Origin, settings: ClientSettings,
        scratch: Scratch, vigil: Vigil, connectDeadline: ContinuousClock.Instant,
        observe: (@Sendable (ClientEvent) -> Void)?
    ) {
        self.id = id
        self.address = address
        self.channel = channel
        self.origin = origin
        authority = origin.authority
        self.settings = settings
        self.scratch = scratch
        self.vigil = vigil
        self.connectDeadline = connectDeadline
        self.observe = observe
    }

    var isReady: Bool { session != nil }
    /// What to say of a connection that is not ready in time.
    var handshakeOverdue: String {
        channel.isTunnelling ? "proxy \(settings.proxy?.description ?? ""): no answer" : "TLS handshake timed out"
    }

    /// Sends the first bytes.
    func begin() { channel.begin(through: settings.proxy.map { Tunnel(to: origin, through: $0) }) }

    func receive() {
        channel.receive(handshaken: { self.handshaken() }, consume: { self.session?.receive($0) })
    }

    func flush() {
        if let session { session.flush() } else { channel.flush() }
    }

    private func handshaken() {
        guard channel.tls.agreedProtocol == "h2" else {
            return channel.end("the server does not speak HTTP/2 (no ALPN h2)")
        }
        var handle: OpaquePointer?
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        // nghttp2 would open 100 streams before the server's SETTINGS arrive.
        nghttp2_option_set_peer_max_concurrent_streams(options, 1)
        let callbacks = ClientCallbacks.make()
        nghttp2_session_client_new2(&handle, callbacks, Unmanaged.passUnretained(self).toOpaque(), options)
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_option_del(options)
        guard let handle else { return channel.end("no memory for an HTTP/2 session") }
        let entries = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: 1 << 20),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: settings.headerListLimit)),
        ]
        nghttp2_submit_settings(handle, 0, entries, entries.count)
        // Answers never wait for a window: the connection's is opened wide once and for all.
        nghttp2_session_set_local_window_size(handle, 0, 0, 1 << 28)
        session = Session(handle: handle, channel: channel, scratch: scratch)
        news.isReady = true
    }

    /// Hands a request to the session; it is written with the next flush.
    func submit(_ pending: PendingRequest, now: ContinuousClock.Instant) {
        guard let session else { return pending.finish(.unprocessed(.connectionLost("not connected"))) }
        let stream = submit(pending, to: session)
        guard stream > 0 else {
            news.closedStreams += 1
            news.isExhausted = true
            return pending.finish(.unprocessed(.connectionLost("HTTP/2: \(Session.text(stream))")))
        }
        pending.connection = id
        pending.stream = stream
        pending.startedAt = now
        pending.place = exchanges.count
        exchanges.append(pending)
    }

    private static var scheme: nghttp2_nv {
        let https: StaticString = "https"
        return nghttp2_nv(
            ":scheme", UnsafeBufferPointer(start: https.utf8Start, count: https.utf8CodeUnitCount))
    }

    /// The number of its stream, or what nghttp2 says against it.
    private func submit(_ pending: PendingRequest, to session: Session) -> Int32 {
        let pointer = Unmanaged.passUnretained(pending).toOpaque()
        var body = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: pointer), read_callback: ClientCallbacks.readBody)
        var (method, authority, path) = (pending.request.method, authority, pending.request.path)
        return method.withUTF8 { method in
            authority.withUTF8 { authority in
                path.withUTF8 { path in
                    pending.request.headers.lend(behind: [
                        nghttp2_nv(":method", method), Self.scheme, nghttp2_nv(":authority", authority),
                        nghttp2_nv(":path", path, isVolatile: true),
                    ]) { fields, count in
                        pending.request.body.isEmpty
                            ? nghttp2_submit_request(session.pointer, nil, fields, count, nil, pointer)
                            : nghttp2_submit_request(session.pointer, nil, fields, count, &body, pointer)
                    }
                }
            }
        }
    }

    /// The request on a stream; nil if it is none of ours, or over.
    func exchange(on stream: Int32) -> PendingRequest? {
        guard let session else { return nil }
        if let pointer = nghttp2_session_get_stream_user_data(session.pointer, stream) {
            return Unmanaged<PendingRequest>.fromOpaque(pointer).takeUnretainedValue()
        }
        // One that nghttp2 still queues has no stream yet.
        return exchanges.first { $0.stream == stream }
    }

    /// Takes a request off the list when its stream is closed.
    func remove(_ pending: PendingRequest) {
        let last = exchanges.removeLast()
        guard last !== pending else { return }
        exchanges[pending.place] = last
        last.place = pending.place
    }

    /// Ends a request for a reason of our own; its stream stays counted until the session has closed it.
    func abandon(_ pending: PendingRequest, ambiguous: Ambiguous, unprocessed: Unprocessed) {
        pending.giveUp(ifWritten: ambiguous, otherwise: unprocessed)
        reset(pending.stream, .cancel)
    }

    func reset(_ stream: Int32, _ code: ErrorCode) {
        guard let session else { return }
        nghttp2_submit_rst_stream(session.pointer, 0, stream, code.rawValue)
    }

    func ping() {
        guard let session else { return }
        nghttp2_submit_ping(session.pointer, 0, nil)
    }

    /// Says GOAWAY and closes TLS; what is open ends as `ended` says.
    func close(_ reason: String) {
        if let session, channel.ending == nil {
            nghttp2_session_terminate_session(session.pointer, ErrorCode.noError.rawValue)
            session.flush()
        }
        channel.close(reason)
    }

    /// The connection is gone: every request on it gets its result.
    func ended(ambiguous: Ambiguous? = nil) {
        let reason = channel.ending ?? "closed"
        for pending in exchanges {
            if let goAway {
                pending.giveUp(ifWritten: ambiguous ?? .goAway(goAway), otherwise: .goAway(goAway))
            } else {
                pending.giveUp(ifWritten: ambiguous ?? .connectionLost(reason), otherwise: .connectionLost(reason))
            }
        }
        exchanges.removeAll()
    }
}
