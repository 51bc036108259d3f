import CLinux
import Glibc

/// A connected socket with TLS on it: plain bytes in and out, nothing blocks. Owned and used by one reactor thread; the
/// owner watches `descriptor` and closes through `close()`.
final class Channel {
    let descriptor: Int32
    let tls: TLSPipe
    /// Why it is over; nil while it lives.
    private(set) var ending: String?
    private(set) var lastReceived: ContinuousClock.Instant
    /// Neither reads nor writes any more, and does not close either (a server playing a dead host).
    var isSilent = false

    /// Bytes that the socket did not take yet.
    private var leftover: ArraySlice<UInt8> = []
    /// The way through a proxy, until it is open.
    private var tunnel: Tunnel?
    private let scratch: Scratch

    init(descriptor: Int32, tls: TLSPipe, scratch: Scratch) {
        self.descriptor = descriptor
        self.tls = tls
        self.scratch = scratch
        lastReceived = .now
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { Glibc.close(descriptor) }

    /// Bytes that TLS made and the socket did not take. Senders stop adding when it is large.
    var backlog: Int { tls.backlog + leftover.count }
    /// Whether the owner should watch for writability.
    var wantsWrite: Bool { !leftover.isEmpty }

    func end(_ reason: String) { if ending == nil { ending = reason } }

    /// A client's first bytes: those of the TLS handshake, or of what has to come before it.
    func begin(through tunnel: Tunnel?) {
        self.tunnel = tunnel
        if let tunnel { leftover = tunnel.request[...] } else { _ = tls.handshake() }
        flush()
    }

    /// Ends it so that the peer sees a reset instead of an end.
    func abort(_ reason: String) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        end(reason)
    }

    /// About what a TLS record holds.
    private static let part = 16 * 1024

    /// Reads what the socket has (up to 1 MiB, so that others get their turn) and hands plain bytes to `consume`; during
    /// the handshake it only takes that further. `answered` is called after every part, so that what it writes is on its
    /// way while the next one is read.
    func receive(handshaken: () -> Void, consume: (UnsafeRawBufferPointer) -> Void, answered: () -> Void = {}) {
        guard !isSilent else { return }
        for _ in 0..<64 where ending == nil {
            let count = recv(descriptor, scratch.wire.baseAddress, Self.part, 0)
            guard count > 0 else {
                if count == 0 { return end("closed by the peer") }
                let code = clinux_errno()
                if code == EAGAIN || code == EINTR { return }
                return end(String(cString: strerror(code)))
            }
            lastReceived = .now
            var bytes = UnsafeRawBufferPointer(rebasing: scratch.wire[..<count])
            if tunnel != nil {
                guard let rest = behindTunnel(bytes) else { continue }
                bytes = rest
            }
            tls.feed(bytes)
            if !tls.isReady {
                switch tls.handshake() {
                case .going: continue
                case .failed(let reason):
                    flush()  // the alert that says why
                    return end(reason)
                case .done: handshaken()
                }
            }
            while ending == nil {
                guard let plain = tls.read(into: scratch.plain) else { return end("TLS closed by the peer") }
                if plain == 0 { break }
                consume(UnsafeRawBufferPointer(rebasing: scratch.plain[..<plain]))
            }
            answered()
            if count < Self.part { return }
        }
    }

    var isTunnelling: Bool { tunnel != nil }

    /// What belongs to TLS of the bytes that came; nil while the proxy has not opened its tunnel.
    private func behindTunnel(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        switch tunnel?.receive(bytes) {
        case .open(let used):
            tunnel = nil
            return UnsafeRawBufferPointer(rebasing: bytes[used...])
        case .refused(let reason):
            end(reason)
            return nil
        case .going, nil: return nil
        }
    }

    func write(_ plain: UnsafeRawBufferPointer) {
        if !tls.write(plain) { end("TLS broke while writing") }
    }

    /// Gives the socket what it takes.
    func flush() {
        guard !isSilent else { return }
        while ending == nil {
            if leftover.isEmpty {
                let count = tls.drain(into: scratch.wire)
                if count == 0 { return }
                let sent = put(UnsafeRawBufferPointer(rebasing: scratch.wire[..<count]))
                if sent < count { leftover = ArraySlice(scratch.wire[sent..<count]) }
            } else {
                let sent = leftover.withUnsafeBytes { put($0) }
                leftover = leftover.dropFirst(sent)
            }
            if !leftover.isEmpty { return }
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        let sent = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if sent >= 0 { return sent }
        let code = clinux_errno()
        if code != EAGAIN && code != EINTR { end(String(cString: strerror(code))) }
        return 0
    }

    /// Says goodbye to TLS. The socket is closed when the channel goes.
    func close(_ reason: String) {
        if ending == nil {
            tls.close()
            flush()
        }
        end(reason)
    }
}

/// Buffers that all connections of one reactor thread share, as only one is at work at a time.
final class Scratch {
    let wire = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// One TLS record, filled from many frames.
    let record = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)

    deinit {
        wire.deallocate()
        plain.deallocate()
        record.deallocate()
    }
}
