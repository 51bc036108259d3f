import Glibc
import Synchronization

/// A loopback port in front of a server, for tests of what a broken network does: `cut()` ends every connection,
/// `freeze()` keeps them open and forwards nothing more, in one direction or in both.
public final class TCPProxy: Sendable {
    /// Where bytes go.
    public enum Direction: CaseIterable, Sendable {
        case toServer
        case toClient
    }

    private struct State {
        var descriptors: Set<Int32> = []
        var frozen: Set<Direction> = []
        var waiting: Set<Direction> = []
        var isStopped = false
    }

    public let port: Int
    private let target: (host: String, port: Int)
    private let listener: Int32
    private let state = Mutex(State())

    /// Forwards to a numeric IPv4 address, or to the address of an AMQP or PostgreSQL URL.
    public init(to url: String) {
        let host = ServerAddress(url).host.split(separator: ":")
        target = (String(host[0]), Int(host.count > 1 ? host[1] : "5672") ?? 5672)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && listen(listener, 64) == 0, "no loopback port")
                getsockname(listener, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        inThread { [self] in accept() }
    }

    /// `url` with this proxy's address.
    public func url(_ url: String) -> String {
        var address = ServerAddress(url)
        address.host = "127.0.0.1:\(port)"
        return address.text
    }

    /// Ends all connections; new ones are accepted.
    public func cut() { state.withLock { for each in $0.descriptors { shutdown(each, Int32(SHUT_RDWR)) } } }

    /// Bytes in a frozen direction wait; a `cut()` before the `thaw()` loses them.
    public func freeze(_ directions: Set<Direction> = Set(Direction.allCases)) {
        state.withLock { $0.frozen.formUnion(directions) }
    }

    public func thaw() {
        state.withLock {
            $0.frozen = []
            $0.waiting = []
        }
    }

    /// Whether bytes came for a frozen direction since it was frozen: what sent them has done its part.
    public func isHolding(_ direction: Direction) -> Bool { state.withLock { $0.waiting.contains(direction) } }

    /// Ends all connections and accepts no more.
    public func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 || state.withLock({ $0.isStopped }) {
                if client >= 0 { close(client) }
                break
            }
            inThread { [self] in serve(client) }
        }
        close(listener)
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(target.port).bigEndian
        address.sin_addr.s_addr = inet_addr(target.host)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        state.withLock { $0.descriptors.formUnion([client, server]) }
        if connected == 0 { forward(client, server) }
        state.withLock { $0.descriptors.subtract([client, server]) }
        close(client)
        close(server)
    }

    private func forward(_ client: Int32, _ server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let frozen = state.withLock { $0.frozen }
            let isHeld = [frozen.contains(.toServer), frozen.contains(.toClient)]
            var entries = zip([client, server], isHeld).map { descriptor, isHeld in
                pollfd(fd: descriptor, events: isHeld ? 0 : Int16(POLLIN), revents: 0)
            }
            guard poll(&entries, 2, 20) >= 0 else { return }
            for (index, entry) in entries.enumerated() where isHeld[index] {
                var byte: UInt8 = 0
                guard recv(entry.fd, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 1 else { continue }
                _ = state.withLock { $0.waiting.insert(index == 0 ? .toServer : .toClient) }
            }
            for (index, other) in [server, client].enumerated() where entries[index].revents != 0 {
                let entry = entries[index]
                if isHeld[index] {
                    if entry.revents & Int16(POLLHUP) != 0 { return }
                    continue
                }
                let count = recv(entry.fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let written = buffer.withUnsafeBytes {
                        send(other, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard written > 0 else { return }
                    sent += written
                }
            }
        }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func inThread(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { context in
            Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
            return nil
        }, Unmanaged.passRetained(ThreadBody(run)).toOpaque())
    pthread_detach(thread)
}
