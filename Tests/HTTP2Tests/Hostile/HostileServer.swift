import Glibc
import Synchronization

@testable import HTTP2

/// Listens on a loopback port and gives every connection to a script on a thread of its own.
final class HostileServer: Sendable {
    typealias Script = @Sendable (_ peer: HostilePeer, _ connection: Int) throws -> Void

    let port: UInt16
    private let listener: Int32
    private let context: TLSContext
    private let script: Script
    private let counted = Mutex(0)
    private let isStopped = Flag()

    /// `script` gets each connection and its number, from 1.
    init(_ script: @escaping Script) throws {
        context = try TLSContext(identity: try Pair.identity(), http1: true)
        (listener, port) = try Listening.open(host: "127.0.0.1", port: 0)
        self.script = script
        _ = fcntl(listener, F_SETFL, 0)
        Thread.start { [self] in accept() }
    }

    /// Connections accepted so far.
    var accepted: Int { counted.withLock { $0 } }

    /// No more connections; scripts end when their clients leave.
    func stop() {
        isStopped.raise()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            let number = counted.withLock { count in
                count += 1
                return count
            }
            Thread.start { [self] in
                try? script(HostilePeer(socket: socket, context: context, isServerStopped: isStopped), number)
                Glibc.close(socket)
            }
        }
        Listening.close(listener)
    }
}

/// A detached thread: scripts block, which the tasks' own threads must not.
enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(Body(run)).toOpaque())
        pthread_detach(thread)
    }
}

/// A fact that threads and tasks wait for.
final class Flag: Sendable {
    private let isRaised = Mutex(false)

    var isUp: Bool { isRaised.withLock { $0 } }

    func raise() { isRaised.withLock { $0 = true } }

    /// Blocks a script's thread; false after a minute.
    func block() -> Bool {
        for _ in 0..<12_000 {
            if isUp { return true }
            usleep(5000)
        }
        return false
    }
}
