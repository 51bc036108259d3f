import CRabbitMQ
import Glibc

/// One logged-in connection of the library and everything that touches its handle. Freed by `destroy()`, once.
///
/// @unchecked: handed over once from the thread that dialled to the reactor's thread, and used by one thread at a time.
final class Link: @unchecked Sendable {
    private let handle: OpaquePointer
    private let pool: UnsafeMutablePointer<amqp_pool_t>
    private let watchdog: Watchdog
    let descriptor: Int32
    let heartbeat: Duration
    /// Bytes that the socket will take without being asked again: it says "writable" while a third of its buffer is free.
    private var room = 0
    private static let roomOfWritable = 16_384
    let address: ConnectionSettings.Address

    init(handle: OpaquePointer, address: ConnectionSettings.Address, writeTimeout: Duration) {
        self.handle = handle
        self.address = address
        descriptor = amqp_get_sockfd(handle)
        heartbeat = .seconds(max(1, Int(amqp_get_heartbeat(handle))))
        watchdog = Watchdog(descriptor: descriptor, limit: writeTimeout)
        pool = .allocate(capacity: 1)
        init_amqp_pool(pool, 4096)
        watchdog.start()
    }

    func destroy() {
        watchdog.retire()
        amqp_destroy_connection(handle)
        empty_amqp_pool(pool)
        pool.deallocate()
    }

    // MARK: Reading

    enum Read {
        case frame(amqp_frame_t)
        case nothing
        case failed(String)
    }

    /// The next frame that is there already; also sends a heartbeat when one is due. What the frame points to is valid
    /// until `releaseBuffers()`.
    func read() -> Read {
        var frame = amqp_frame_t()
        var none = timeval(tv_sec: 0, tv_usec: 0)
        watchdog.entered()
        let status = amqp_simple_wait_frame_noblock(handle, &frame, &none)
        watchdog.left()
        switch amqp_status_enum(status) {
        case AMQP_STATUS_OK: return .frame(frame)
        case AMQP_STATUS_TIMEOUT: return .nothing
        case AMQP_STATUS_HEARTBEAT_TIMEOUT: return .failed("no heartbeat of the broker for \(heartbeat * 2)")
        default: return .failed(Link.text(of: status))
        }
    }

    /// Frames or bytes that the library holds and that no descriptor will announce.
    var holdsInput: Bool { amqp_frames_enqueued(handle) != 0 || amqp_data_in_buffer(handle) != 0 }

    func releaseBuffers() { amqp_maybe_release_buffers(handle) }

    // MARK: Writing

    /// While corked the system sends only full packets: the broker is woken once for many messages. Uncorking sends the rest.
    func cork(_ isCorked: Bool) {
        var value: Int32 = isCorked ? 1 : 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Waits until the socket takes bytes or has some to read, at most until `deadline`.
    func waitUntilReady(until deadline: ContinuousClock.Instant) -> (readable: Bool, writable: Bool) {
        if room > 0 { return (false, true) }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 {
            room = Self.roomOfWritable
            return (false, true)
        }
        let left = max(.zero, deadline - .now).components
        entry.events = Int16(POLLIN | POLLOUT)
        poll(&entry, 1, Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
        return (entry.revents & Int16(POLLIN) != 0, entry.revents & Int16(POLLOUT) != 0)
    }

    /// Writes one method. Nil, or what went wrong.
    func send<Method: BitwiseCopyable>(_ number: UInt32, on channel: UInt16, _ method: Method) -> String? {
        var method = method
        room = 0
        watchdog.entered()
        defer { watchdog.left() }
        let status = amqp_send_method(handle, channel, number, &method)
        return status == AMQP_STATUS_OK.rawValue ? nil : Link.text(of: status)
    }

    /// Writes one message, persistent and mandatory. Nil, or what went wrong; how much was written then is unknown.
    func publish(_ message: Message, on channel: UInt16) -> String? {
        defer { recycle_amqp_pool(pool) }
        let table = TableEncoder(pool: pool)
        var properties = amqp_basic_properties_t()
        properties._flags = UInt32(AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TYPE_FLAG)
        properties.delivery_mode = 2
        properties.message_id = table.bytes(message.messageID)
        properties.type = table.bytes(message.type)
        if !message.contentType.isEmpty {
            properties._flags |= UInt32(AMQP_BASIC_CONTENT_TYPE_FLAG)
            properties.content_type = table.bytes(message.contentType)
        }
        if !message.appID.isEmpty {
            properties._flags |= UInt32(AMQP_BASIC_APP_ID_FLAG)
            properties.app_id = table.bytes(message.appID)
        }
        if !message.correlationID.isEmpty {
            properties._flags |= UInt32(AMQP_BASIC_CORRELATION_ID_FLAG)
            properties.correlation_id = table.bytes(message.correlationID)
        }
        if message.timestamp != 0 {
            properties._flags |= UInt32(AMQP_BASIC_TIMESTAMP_FLAG)
            properties.timestamp = message.timestamp
        }
        if !message.headers.isEmpty {
            properties._flags |= UInt32(AMQP_BASIC_HEADERS_FLAG)
            properties.headers = table.table(message.headers)
        }
        // Seven short texts and the frames around everything take less than 2 KiB.
        room -= message.body.count + HeaderValue.encodedSize(of: message.headers) + 2048
        let exchange = table.bytes(message.exchange)
        let key = table.bytes(message.routingKey)
        watchdog.entered()
        defer { watchdog.left() }
        let status = message.body.withUnsafeBytes { body in
            amqp_basic_publish(handle, channel, exchange, key, 1, 0, &properties, amqp_bytes_t(borrowing: body))
        }
        return status == AMQP_STATUS_OK.rawValue ? nil : Link.text(of: status)
    }

    /// Gives `body` an encoder whose memory lasts until it returns.
    func withEncoder<Result>(_ body: (TableEncoder) -> Result) -> Result {
        defer { recycle_amqp_pool(pool) }
        return body(TableEncoder(pool: pool))
    }

    static func text(of status: Int32) -> String { String(cString: amqp_error_string2(status)) }
}
