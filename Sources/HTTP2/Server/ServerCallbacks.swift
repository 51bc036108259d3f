import CNGHTTP2

/// What nghttp2 calls on the server side, inside a read or a flush of the connection that the user pointer names.
enum ServerCallbacks {
    static func make() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            guard frame!.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
            ServerCallbacks.connection(user).streams[frame!.pointee.hd.stream_id] = ServerStream()
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, _, user in
            guard let stream = ServerCallbacks.connection(user).streams[frame!.pointee.hd.stream_id] else { return 0 }
            stream.fields.append(
                HeaderField(
                    String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
                    String(decoding: UnsafeBufferPointer(start: value, count: length), as: UTF8.self)))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, id, bytes, count, user in
            let connection = ServerCallbacks.connection(user)
            guard let stream = connection.streams[id] else { return 0 }
            if stream.body.count + count > connection.settings.bodyLimit {
                nghttp2_submit_rst_stream(session, 0, id, ErrorCode.enhanceYourCalm.rawValue)
            } else {
                stream.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            let header = frame!.pointee.hd
            guard header.type == UInt8(NGHTTP2_HEADERS.rawValue) || header.type == UInt8(NGHTTP2_DATA.rawValue),
                UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
            else { return 0 }
            ServerCallbacks.connection(user).completed(header.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, user in
            ServerCallbacks.connection(user).streams[id] = nil
            return 0
        }
        return callbacks
    }

    private static func connection(_ user: UnsafeMutableRawPointer?) -> ServerConnection {
        Unmanaged<ServerConnection>.fromOpaque(user!).takeUnretainedValue()
    }
}

extension ServerConnection {
    fileprivate func completed(_ id: Int32) {
        guard let stream = streams[id], !stream.isReceived else { return }
        stream.isReceived = true
        let request = ReceivedRequest(
            connection: self.id, stream: id, fields: Headers(stream.fields), body: stream.body)
        stream.fields = []
        stream.body = []
        switch decide(request) {
        case .answer(let response): answer(id, response)
        case .reset(let code):
            if let session { nghttp2_submit_rst_stream(session.pointer, 0, id, code.rawValue) }
        case .never: break
        case .later(let work): later.append((request, work))
        }
    }
}
