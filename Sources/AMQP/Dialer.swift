import CRabbitMQ
import Glibc

/// Opens and logs in on a thread of its own: name resolution, TCP, TLS and login block, and none of our actors may.
struct Dialer: Sendable {
    let settings: ConnectionSettings
    /// Shown by the broker beside the connection.
    let name: String

    /// Tries every address once, beginning with number `first`.
    func dial(first: Int) async throws(AMQPError) -> Link {
        let result = await withCheckedContinuation { continuation in
            runDetached { continuation.resume(returning: self.tryAll(first: first)) }
        }
        return try result.get()
    }

    private func tryAll(first: Int) -> Result<Link, AMQPError> {
        var failures: [AMQPError] = []
        for step in settings.addresses.indices {
            let address = settings.addresses[(first + step) % settings.addresses.count]
            do throws(AMQPError) {
                return .success(try open(address))
            } catch {
                failures.append(error)
            }
        }
        // An answer (wrong password) says more than silence.
        let telling = failures.first { $0.kind != .unreachable && $0.kind != .timedOut }
        return .failure(telling ?? failures.first ?? AMQPError(.malformedURL, "the AMQP address names no host"))
    }

    private func open(_ address: ConnectionSettings.Address) throws(AMQPError) -> Link {
        guard let handle = amqp_new_connection() else { throw AMQPError(.lost, "no memory for a connection") }
        do throws(AMQPError) {
            let deadline = ContinuousClock.now + settings.connectTimeout
            try openSocket(handle, address)
            try logIn(handle, address, left: max(.milliseconds(1), deadline - .now))
            return Link(handle: handle, address: address, writeTimeout: settings.writeTimeout)
        } catch {
            amqp_destroy_connection(handle)
            throw error
        }
    }

    private func openSocket(_ handle: OpaquePointer, _ address: ConnectionSettings.Address) throws(AMQPError) {
        let socket = settings.usesTLS ? amqp_ssl_socket_new(handle) : amqp_tcp_socket_new(handle)
        guard let socket else { throw AMQPError(.lost, "no memory for a socket") }
        if settings.usesTLS {
            guard amqp_ssl_socket_set_cacert(socket, settings.authorityFile) == AMQP_STATUS_OK.rawValue else {
                throw AMQPError(.encryption, "the authority file \(settings.authorityFile) can't be read")
            }
            amqp_ssl_socket_set_verify_peer(socket, 1)
            amqp_ssl_socket_set_verify_hostname(socket, 1)
            amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        }
        var timeout = timeval(settings.connectTimeout)
        let status = amqp_socket_open_noblock(socket, address.host, Int32(address.port), &timeout)
        guard status == AMQP_STATUS_OK.rawValue else { throw failure(status, address, "connecting to") }
        var milliseconds = UInt32(clamping: (settings.heartbeat * 2).components.seconds * 1000)
        let descriptor = amqp_get_sockfd(handle)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
    }

    private func logIn(
        _ handle: OpaquePointer, _ address: ConnectionSettings.Address, left: Duration
    ) throws(AMQPError) {
        var timeout = timeval(left)
        amqp_set_handshake_timeout(handle, &timeout)
        amqp_set_rpc_timeout(handle, &timeout)
        let capabilities: Headers = [
            "publisher_confirms": true, "consumer_cancel_notify": true, "connection.blocked": true, "basic.nack": true,
            "authentication_failure_close": true, "exchange_exchange_bindings": true,
        ]
        let client: Headers = [
            "capabilities": .table(capabilities), "connection_name": .string(name),
            "product": "mobile-delivery",
        ]
        var pool = amqp_pool_t()
        init_amqp_pool(&pool, 4096)
        defer { empty_amqp_pool(&pool) }
        let reply = withUnsafeMutablePointer(to: &pool) { pool in
            var table = TableEncoder(pool: pool).table(client)
            return crabbitmq_login(
                handle, settings.virtualHost, Int32(settings.heartbeat.components.seconds), &table, settings.user,
                settings.password)
        }
        switch reply.reply_type {
        case AMQP_RESPONSE_NORMAL: return
        case AMQP_RESPONSE_SERVER_EXCEPTION: throw refusal(reply, address)
        default: throw failure(reply.library_error, address, "logging in at")
        }
    }

    private func refusal(_ reply: amqp_rpc_reply_t, _ address: ConnectionSettings.Address) -> AMQPError {
        guard reply.reply.id == amqp_method_number_t(AMQP_CONNECTION_CLOSE_METHOD), let decoded = reply.reply.decoded
        else { return AMQPError(.refused, "the broker at \(address) refused the login") }
        let close = decoded.load(as: amqp_connection_close_t.self)
        let (code, text) = (close.reply_code, close.reply_text.string)
        if text.contains("not found") || code == 530 && text.contains("vhost") {
            let advice = "make it or correct the address"
            return AMQPError(
                .missingVirtualHost, code: code,
                "the broker at \(address) has no virtual host \"\(settings.virtualHost)\" for user \"\(settings.user)\"; \(advice)"
            )
        }
        if code == 403 {
            return AMQPError(
                .wrongPassword, code: code,
                "the broker at \(address) refused user \"\(settings.user)\": wrong user or password")
        }
        return AMQPError(.refused, code: code, "the broker at \(address) refused the login with \(code): \(text)")
    }

    private func failure(_ status: Int32, _ address: ConnectionSettings.Address, _ doing: String) -> AMQPError {
        let text = Link.text(of: status)
        switch amqp_status_enum(status) {
        case AMQP_STATUS_TIMEOUT:
            return AMQPError(.timedOut, "\(doing) the broker at \(address) took longer than \(settings.connectTimeout)")
        case AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED:
            // librabbitmq 0.11 compares with the names of the certificate only.
            return AMQPError(
                .encryption,
                "the certificate of the broker at \(address) does not name this host (an IP address never fits)")
        case AMQP_STATUS_SSL_ERROR, AMQP_STATUS_SSL_PEER_VERIFY_FAILED, AMQP_STATUS_SSL_CONNECTION_FAILED:
            return AMQPError(.encryption, "\(doing) the broker at \(address): \(text)")
        default:
            return AMQPError(.unreachable, "the broker at \(address) can't be reached: \(text)")
        }
    }
}

extension timeval {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}

/// Runs `work` on a thread made for it.
private func runDetached(_ work: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { context in
            Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().work()
            return nil
        }, Unmanaged.passRetained(Box(work)).toOpaque())
    precondition(failure == 0, "the system refused another thread")
    pthread_detach(thread)
}
