import CLinux
import Glibc

/// One attempt to reach an origin: connects to its addresses side by side, each begun 250 ms after the one before or as
/// soon as that failed; the first that answers wins.
final class Dial {
    static let stagger = Duration.milliseconds(250)

    let deadline: ContinuousClock.Instant
    /// Sockets that are connecting. The owner watches them for writability.
    private(set) var sockets: [Int32] = []
    private var remaining: ArraySlice<SocketAddress> = []
    private(set) var nextAttempt: ContinuousClock.Instant?
    private(set) var lastError = "no address"
    /// Names are looked up elsewhere; until then there is nothing to do.
    private(set) var isResolved = false

    init(deadline: ContinuousClock.Instant) { self.deadline = deadline }

    deinit { sockets.forEach { close($0) } }

    func resolved(_ addresses: [SocketAddress], now: ContinuousClock.Instant) {
        isResolved = true
        remaining = addresses[...]
        nextAttempt = now
    }

    /// Starts the next attempt if it is time; returns the socket to watch.
    func attempt(now: ContinuousClock.Instant) -> Int32? {
        while let due = nextAttempt, now >= due {
            guard let address = remaining.popFirst() else {
                nextAttempt = nil
                return nil
            }
            nextAttempt = remaining.isEmpty ? nil : now + Self.stagger
            if let socket = begin(address) { return socket }
            if !remaining.isEmpty { nextAttempt = now }
        }
        return nil
    }

    private func begin(_ address: SocketAddress) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else {
            lastError = String(cString: strerror(clinux_errno()))
            return nil
        }
        let result = address.withPointer { connect(descriptor, $0, $1) }
        if result != 0 && clinux_errno() != EINPROGRESS {
            lastError = String(cString: strerror(clinux_errno()))
            close(descriptor)
            return nil
        }
        sockets.append(descriptor)
        return descriptor
    }

    /// A watched socket became ready. True: it is connected and no longer ours. False: it failed and is closed.
    func ready(_ descriptor: Int32, now: ContinuousClock.Instant) -> Bool {
        sockets.removeAll { $0 == descriptor }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        if code == 0 { return true }
        lastError = String(cString: strerror(code))
        close(descriptor)
        if !remaining.isEmpty { nextAttempt = now }
        return false
    }

    /// Nothing is under way and nothing is left to try.
    var isExhausted: Bool { isResolved && sockets.isEmpty && remaining.isEmpty && nextAttempt == nil }
}
