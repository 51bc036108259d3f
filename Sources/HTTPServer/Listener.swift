import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// One libmicrohttpd daemon: its thread reads requests, a task answers each, any number at a time.
public final class Listener: Sendable {
    private struct Handle: @unchecked Sendable {
        var daemon: OpaquePointer?
    }

    /// Where it listens; the port is the real one. Nil without a listening socket.
    public let address: Address?
    let context: ListenerContext
    private let handle: Mutex<Handle>
    private let cutting: Task<Void, Never>

    public var port: UInt16 { address?.port ?? 0 }

    /// Listens from now on.
    public static func start(
        _ address: Address, tls: ServerTLS? = nil, limits: Limits = Limits(),
        handler: @escaping @Sendable (Request) async -> Response
    ) throws(HTTPServerError) -> Listener {
        let socket = try ListeningSocket.open(address)
        // The library owns the socket from here, also when it does not start.
        return try Listener(
            address: Address(host: address.host, port: socket.port), descriptor: socket.descriptor, tls: tls,
            context: ListenerContext(limits: limits, handler: handler))
    }

    /// Without a socket of its own: connections come by `addConnection`.
    public static func startUnbound(
        limits: Limits = Limits(), handler: @escaping @Sendable (Request) async -> Response
    ) throws(HTTPServerError) -> Listener {
        try Listener(
            address: nil, descriptor: -1, tls: nil, context: ListenerContext(limits: limits, handler: handler))
    }

    private init(
        address: Address?, descriptor: Int32, tls: ServerTLS?, context: ListenerContext
    ) throws(HTTPServerError) {
        DescriptorLimit.raise()
        self.address = address
        self.context = context
        let limits = context.limits
        var settings = mhd_shim_settings()
        settings.descriptor = descriptor
        settings.connections = UInt32(clamping: limits.connections)
        settings.connections_per_address = UInt32(clamping: limits.connectionsPerAddress)
        settings.idle_seconds = UInt32(clamping: max(1, limits.idle.components.seconds))
        settings.connection_memory = limits.connectionMemory
        // The context outlives the daemon: `stop` and `deinit` end the daemon first.
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        let daemon = Self.withPEM(tls) { certificate, key in
            settings.certificate = certificate
            settings.key = key
            return mhd_shim_start(
                &settings, pointer, ListenerCallbacks.handle, ListenerCallbacks.begin, ListenerCallbacks.completed,
                ListenerCallbacks.connection)
        }
        guard let daemon else { throw .cannotStart }
        handle = Mutex(Handle(daemon: daemon))
        let pause = min(.seconds(1), max(.milliseconds(20), min(limits.head, limits.upload) / 4))
        cutting = Task {
            while (try? await Task.sleep(for: pause)) != nil { context.connections.cutLate() }
        }
    }

    private static func withPEM(
        _ tls: ServerTLS?, _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let tls else { return body(nil, nil) }
        return tls.certificate.withCString { certificate in tls.key.withCString { key in body(certificate, key) } }
    }

    /// Serves a connected stream socket, which now belongs to the listener.
    public func addConnection(descriptor: Int32) throws(HTTPServerError) {
        let result = handle.withLock { handle -> MHD_Result? in
            handle.daemon.map { mhd_shim_add_connection($0, descriptor) }
        }
        guard let result else {
            close(descriptor)
            throw .stopped
        }
        // On refusal the library has closed the socket.
        guard result == .YES else { throw .connectionRefused }
    }

    /// Takes no new connection, lets what is being answered finish within `grace`, answers the rest 503 and closes.
    public func stop(grace: Duration = .seconds(5)) async {
        let taken = handle.withLock { handle -> Handle in
            defer { handle.daemon = nil }
            return handle
        }
        guard let daemon = taken.daemon else { return }
        cutting.cancel()
        let listening = MHD_quiesce_daemon(daemon)
        if listening >= 0 { close(listening) }
        let suspended = context.suspended
        suspended.close()
        await suspended.drained(within: grace)
        suspended.answerAll(.stopping)
        await suspended.drained(within: .seconds(1))
        let context = self.context
        await withCheckedContinuation { continuation in
            // Joins the daemon's thread, so not on a thread that tasks need.
            DispatchQueue.global().async { @Sendable in
                MHD_stop_daemon(taken.daemon)
                withExtendedLifetime(context) { continuation.resume() }
            }
        }
    }

    deinit {
        guard let daemon = handle.withLock({ $0.daemon }) else { return }
        cutting.cancel()
        context.suspended.close()
        context.suspended.answerAll(.stopping)
        MHD_stop_daemon(daemon)
    }
}
