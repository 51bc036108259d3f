import CLinux
import Glibc

/// One attempt to reach an origin: connects to its addresses side by side, each begun a moment after the one before
/// (`stagger`) or as soon as that failed; the first that answers wins.
final class Dial {
    let deadline: ContinuousClock.Instant
    private let stagger: Duration
    /// Sockets that are connecting, and where to. The owner watches them for writability.
    private(set) var sockets: [Int32: SocketAddress] = [:]
    private var remaining: ArraySlice<SocketAddress> = []
    private(set) var nextAttempt: ContinuousClock.Instant?
    private(set) var lastError = "no address"
    /// Addresses that refused or could not be reached.
    private(set) var failed: [SocketAddress] = []
    /// Names are looked up elsewhere; until then there is nothing to do.
    private(set) var isResolved = false

    init(deadline: ContinuousClock.Instant, stagger: Duration) {
        self.deadline = deadline
        self.stagger = stagger
    }

    deinit { sockets.keys.forEach { close($0) } }

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
            nextAttempt = remaining.isEmpty ? nil : now + stagger
            if let socket = begin(address) { return socket }
            if !remaining.isEmpty { nextAttempt = now }
        }
        return nil
    }

    private func begin(_ address: SocketAddress) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else {
            note(address, clinux_errno())
            return nil
        }
        let result = address.withPointer { connect(descriptor, $0, $1) }
        if result != 0 && clinux_errno() != EINPROGRESS {
            note(address, clinux_errno())
            close(descriptor)
            return nil
        }
        sockets[descriptor] = address
        return descriptor
    }

    /// A watched socket became ready: where it is connected to, then it is no longer ours; nil if it failed and is closed.
    func ready(_ descriptor: Int32, now: ContinuousClock.Instant) -> SocketAddress? {
        guard let address = sockets.removeValue(forKey: descriptor) else { return nil }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        if code == 0 { return address }
        note(address, code)
        close(descriptor)
        if !remaining.isEmpty { nextAttempt = now }
        return nil
    }

    private func note(_ address: SocketAddress, _ code: Int32) {
        lastError = String(cString: strerror(code))
        failed.append(address)
    }

    /// Nothing is under way and nothing is left to try.
    var isExhausted: Bool { isResolved && sockets.isEmpty && remaining.isEmpty && nextAttempt == nil }
}
