import CMicroHTTPD
import Glibc
import Synchronization

/// The open connections of a listener and until when each has to get on. The library closes a connection that is silent;
/// one that sends or takes a byte now and then would live for ever.
final class Connections: Sendable {
    /// One of them; the library keeps a reference beside it.
    final class Connection: Sendable {
        fileprivate let descriptor: Int32
        /// In nanoseconds of the monotonic clock; the largest number = no limit, because a handler has the request.
        fileprivate let deadline: Atomic<UInt64>

        fileprivate init(descriptor: Int32, deadline: UInt64) {
            self.descriptor = descriptor
            self.deadline = Atomic(deadline)
        }
    }

    private let open = Mutex<[ObjectIdentifier: Connection]>([:])
    /// From the end of a request to the first line of the next.
    private let waiting: UInt64
    /// From there to the end of the body, and for taking an answer.
    private let moving: UInt64

    init(_ limits: Limits) {
        waiting = Self.nanoseconds(limits.idle + limits.head)
        moving = Self.nanoseconds(limits.upload)
    }

    var count: Int { open.withLock { $0.count } }

    func opened(descriptor: Int32) -> Connection {
        let connection = Connection(descriptor: descriptor, deadline: Self.now() &+ waiting)
        open.withLock { $0[ObjectIdentifier(connection)] = connection }
        return connection
    }

    /// Before the library closes the socket: from here on nobody touches its number.
    func closed(_ connection: Connection) { open.withLock { $0[ObjectIdentifier(connection)] = nil } }

    /// A first line is here, or an answer is to be sent.
    func moves(_ connection: Connection) { connection.deadline.store(Self.now() &+ moving, ordering: .relaxed) }

    func rests(_ connection: Connection) { connection.deadline.store(Self.now() &+ waiting, ordering: .relaxed) }

    func isHandled(_ connection: Connection) { connection.deadline.store(.max, ordering: .relaxed) }

    /// Cuts those that are late; the library sees the end of the stream and cleans up.
    func cutLate() {
        let now = Self.now()
        open.withLock { open in
            for connection in open.values where connection.deadline.load(ordering: .relaxed) < now {
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        return UInt64(max(0, seconds)) &* 1_000_000_000 &+ UInt64(max(0, attoseconds) / 1_000_000_000)
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
