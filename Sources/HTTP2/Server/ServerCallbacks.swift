import CNGHTTP2

/// What nghttp2 calls on the server side, inside a read or a flush of the connection that the user pointer names.
enum ServerCallbacks {
    static func make() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            guard frame!.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
            ServerCallbacks.connection(user).begin(frame!.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, _, user in
            // Called for every field: without counting a reference for each.
            Unmanaged<ServerConnection>.fromOpaque(user!)._withUnsafeGuaranteedRef {
                $0.incoming.append(
                    UnsafeBufferPointer(start: name, count: nameLength),
                    UnsafeBufferPointer(start: value, count: length))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, id, bytes, count, user in
            let connection = ServerCallbacks.connection(user)
            guard let stream = connection.stream(id) else { return 0 }
            if stream.body.count + count > connection.settings.bodyLimit {
                nghttp2_submit_rst_stream(session, 0, id, ErrorCode.enhanceYourCalm.rawValue)
            } else {
                stream.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            let header = frame!.pointee.hd
            switch UInt32(header.type) {
            case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
                if UInt32(header.type) == NGHTTP2_HEADERS.rawValue {
                    ServerCallbacks.connection(user).takeHeader(header.stream_id)
                }
                if UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 {
                    ServerCallbacks.connection(user).completed(header.stream_id)
                }
            case NGHTTP2_PING.rawValue where UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue == 0:
                ServerCallbacks.connection(user).pinged()
            default: break
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, user in
            ServerCallbacks.connection(user).closed(id)
            return 0
        }
        return callbacks
    }

    private static func connection(_ user: UnsafeMutableRawPointer?) -> ServerConnection {
        Unmanaged<ServerConnection>.fromOpaque(user!).takeUnretainedValue()
    }
}

extension ServerConnection {
    fileprivate func pinged() {
        pings += 1
        guard let limit = settings.limits.pings, pings > limit else { return }
        goAway(lastStream: nil, settings.limits.pingFarewell)
    }

    /// The header block that just ended is the request's, or its trailers, which nobody asks for.
    fileprivate func takeHeader(_ id: Int32) {
        if let stream = stream(id), stream.fields.count == 0, !stream.isReceived { stream.fields = incoming }
        incoming = Headers([], room: ServerConnection.usualFields)
    }

    fileprivate func completed(_ id: Int32) {
        guard let stream = stream(id), !stream.isReceived else { return }
        handle(id, stream, isComplete: true)
    }

    /// Gives the request to the handler and does what that says.
    func handle(_ id: Int32, _ stream: ServerStream, isComplete: Bool) {
        stream.isReceived = true
        let request = ReceivedRequest(
            connection: self.id, stream: id, fields: stream.fields, body: stream.body, isComplete: isComplete)
        stream.fields = Headers()
        stream.body = []
        follow(decide(request), request)
    }
}
