import CMicroHTTPD

/// Called by the library on its own thread, hence nonisolated functions that touch no actor.
enum ListenerCallbacks {
    /// First of all calls of a request, with the raw target; its result is the request's own pointer.
    static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context, target, connection in
            let opened = connection.flatMap(opened)
            let exchange = Exchange(target: target.map { String(cString: $0) } ?? "", connection: opened)
            if let context, let opened {
                Unmanaged<ListenerContext>.fromOpaque(context).takeUnretainedValue().connections.moves(opened)
            }
            return Unmanaged.passRetained(exchange).toOpaque()
        }

    /// Last of all calls of a request, also when the client went away.
    static let completed: MHD_RequestCompletedCallback = { context, _, pointer, _ in
        guard let context, let pointer, let own = pointer.pointee else { return }
        pointer.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(own).takeRetainedValue()
        let listener = Unmanaged<ListenerContext>.fromOpaque(context).takeUnretainedValue()
        if let connection = exchange.connection { listener.connections.rests(connection) }
        listener.suspended.completed(exchange)
    }

    /// At the opening and before the closing of a connection, whose own reference is kept in the slot.
    static let connection: MHD_NotifyConnectionCallback = { context, connection, slot, event in
        guard let context, let connection, let slot else { return }
        let connections = Unmanaged<ListenerContext>.fromOpaque(context).takeUnretainedValue().connections
        if event == .CONNECTION_NOTIFY_STARTED {
            let opened = connections.opened(descriptor: mhd_shim_descriptor(connection))
            slot.pointee = Unmanaged.passRetained(opened).toOpaque()
        } else if let own = slot.pointee {
            slot.pointee = nil
            connections.closed(Unmanaged<Connections.Connection>.fromOpaque(own).takeRetainedValue())
        }
    }

    private static func opened(_ connection: OpaquePointer) -> Connections.Connection? {
        mhd_shim_own(connection).map { Unmanaged<Connections.Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called once with the head, once a piece of the body, once at its end, and once more after a resume.
    static let handle: MHD_AccessHandlerCallback = { context, connection, _, method, _, bytes, size, pointer in
        guard let context, let connection, let size, let pointer, let own = pointer.pointee else { return .NO }
        let listener = Unmanaged<ListenerContext>.fromOpaque(context).takeUnretainedValue()
        let exchange = Unmanaged<Exchange>.fromOpaque(own).takeUnretainedValue()
        if case .answered(let response) = exchange.stage {
            if let connection = exchange.connection { listener.connections.moves(connection) }
            return queue(response, connection)
        }
        if exchange.begin(
            method: method.map { String(cString: $0) } ?? "", headers: headers(connection), peer: peer(connection))
        {
            return declaredLength(connection) > listener.limits.body
                ? queue(listener.limits.tooLarge.closing, connection) : .YES
        }
        if size.pointee > 0 {
            let piece = UnsafeRawBufferPointer(start: bytes, count: size.pointee)
            let excess = exchange.append(piece, limit: listener.limits.body)
            size.pointee = 0
            // In the middle of a body no answer can be queued: read a little more for a 413 at its end, then cut.
            return excess > 1 << 16 || exchange.began.duration(to: .now) > listener.limits.upload ? .NO : .YES
        }
        guard let request = exchange.take() else { return queue(listener.limits.tooLarge.closing, connection) }
        guard listener.suspended.suspend(connection, exchange) else { return queue(.stopping, connection) }
        if let connection = exchange.connection { listener.connections.isHandled(connection) }
        Task { @Sendable in
            let response = await listener.handler(request)
            listener.suspended.answer(exchange, response)
        }
        return .YES
    }

    private static func queue(_ response: Response, _ connection: OpaquePointer) -> MHD_Result {
        let made = response.body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for field in response.headers.fields { MHD_add_response_header(made, field.name, field.value) }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }

    private static func headers(_ connection: OpaquePointer) -> Headers {
        var headers = Headers()
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { pointer, _, name, value in
                    guard let pointer, let name else { return .YES }
                    pointer.assumingMemoryBound(to: Headers.self).pointee.add(
                        String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, headers)
        }
        return headers
    }

    private static func declaredLength(_ connection: OpaquePointer) -> Int {
        guard let value = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length") else { return 0 }
        return Int(String(cString: value)) ?? 0
    }

    private static func peer(_ connection: OpaquePointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            mhd_shim_peer(connection, buffer.baseAddress, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }
}
