import CNGHTTP2

/// What nghttp2 calls on the client side. All of it runs inside a read or a flush of the connection that the user
/// pointer names, on the reactor thread; it copies, notes and returns.
enum ClientCallbacks {
    static func make() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, _, user in
            // Called for every field: without counting a reference for each.
            Unmanaged<ClientConnection>.fromOpaque(user!)._withUnsafeGuaranteedRef {
                guard let pending = $0.exchange(on: frame!.pointee.hd.stream_id), !pending.isDone else { return }
                $0.header(
                    pending, UnsafeBufferPointer(start: name, count: nameLength),
                    UnsafeBufferPointer(start: value, count: length))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, user in
            let connection = ClientCallbacks.connection(user)
            guard let pending = connection.exchange(on: stream), !pending.isDone else { return 0 }
            connection.data(pending, UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, user in
            ClientCallbacks.connection(user).received(frame!, session)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
            guard frame!.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
            ClientCallbacks.connection(user).exchange(on: frame!.pointee.hd.stream_id)?.isWritten = true
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, _, user in
            ClientCallbacks.connection(user).exchange(on: frame!.pointee.hd.stream_id)?.isMalformed = true
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
            ClientCallbacks.connection(user).closed(stream, ErrorCode(rawValue: code))
            return 0
        }
        return callbacks
    }

    /// Hands out the request's body.
    static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, space, flags, source, _ in
        let pending = Unmanaged<PendingRequest>.fromOpaque(source!.pointee.ptr!).takeUnretainedValue()
        let count = min(space, pending.request.body.count - pending.bodyOffset)
        pending.request.body.withUnsafeBytes { bytes in
            UnsafeMutableRawPointer(buffer!).copyMemory(
                from: bytes.baseAddress! + pending.bodyOffset, byteCount: count)
        }
        pending.bodyOffset += count
        if pending.bodyOffset == pending.request.body.count { flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }

    private static func connection(_ user: UnsafeMutableRawPointer?) -> ClientConnection {
        Unmanaged<ClientConnection>.fromOpaque(user!).takeUnretainedValue()
    }
}

extension ClientConnection {
    fileprivate func header(
        _ pending: PendingRequest, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) {
        pending.fieldBytes += name.count + value.count + 32
        guard pending.fieldBytes <= settings.headerListLimit else { return tooLarge(pending) }
        if name.first == UInt8(ascii: ":") {
            // The only pseudo-header of an answer; nghttp2 checked that it is there and three digits.
            if name.count == 7 { pending.status = value.reduce(0) { $0 * 10 + Int($1) - 48 } }
        } else {
            pending.headers.append(name, value)
        }
    }

    fileprivate func data(_ pending: PendingRequest, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard pending.body.count + bytes.count <= settings.bodyLimit else { return tooLarge(pending) }
        pending.body.append(contentsOf: bytes)
    }

    private func tooLarge(_ pending: PendingRequest) {
        pending.finish(.ambiguous(.answerTooLarge(status: pending.seenStatus)))
        reset(pending.stream, .cancel)
    }

    fileprivate func received(_ frame: UnsafePointer<nghttp2_frame>, _ session: OpaquePointer?) {
        let header = frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard let pending = exchange(on: header.stream_id) else { return }
            if UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 {
                answered(pending)
            } else if (100..<200).contains(pending.status) {
                pending.status = 0
                pending.headers = Headers()
            }
        case NGHTTP2_SETTINGS.rawValue where UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue == 0:
            let allowed = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
            news.limit = Int(min(allowed, UInt32(Int32.max)))
        case NGHTTP2_GOAWAY.rawValue:
            let farewell = frame.pointee.goaway
            let debug = UnsafeBufferPointer(
                start: farewell.opaque_data, count: min(256, Int(farewell.opaque_data_len)))
            let said = GoAway(
                lastStream: farewell.last_stream_id, code: ErrorCode(rawValue: farewell.error_code),
                debug: String(decoding: debug, as: UTF8.self))
            goAway = said
            news.goAway = said
        default: break
        }
    }

    private func answered(_ pending: PendingRequest) {
        guard !pending.isDone else { return }
        pending.finish(
            .answer(Response(status: pending.status, headers: pending.headers, body: pending.body)))
        news.answered = true
        observe?(.answered(after: channel.lastReceived - pending.startedAt))
        // The server need not have read the whole body to answer; nobody wants the rest.
        if pending.bodyOffset < pending.request.body.count { reset(pending.stream, .cancel) }
    }

    fileprivate func closed(_ stream: Int32, _ code: ErrorCode) {
        guard let pending = exchange(on: stream) else { return }
        remove(pending)
        news.closedStreams += 1
        guard !pending.isDone else { return }
        if !pending.isWritten || (code == .refusedStream && pending.status == 0) {
            // nghttp2 itself closes streams above a GOAWAY's last id, and queued ones, with REFUSED_STREAM.
            if let goAway, !pending.isWritten || stream > goAway.lastStream {
                pending.finish(.unprocessed(.goAway(goAway)))
            } else {
                news.isRefusing = true
                pending.finish(.unprocessed(.refusedStream))
            }
        } else if pending.isMalformed {
            pending.finish(.ambiguous(.malformedAnswer))
        } else {
            pending.finish(.ambiguous(.reset(code, status: pending.seenStatus)))
        }
    }
}
