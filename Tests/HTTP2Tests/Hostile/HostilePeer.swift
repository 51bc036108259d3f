import Glibc
import Testing

@testable import HTTP2

/// The server's end of one connection, on a thread of its own: every byte that leaves it is the test's choice.
final class HostilePeer {
    /// Thrown at a script whose client has gone or says nothing for too long.
    struct Gone: Error {}

    private let socket: Int32
    private let tls: TLSPipe
    /// Decrypted and not yet read.
    private var plain: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private let isServerStopped: Flag

    init(socket: Int32, context: TLSContext, isServerStopped: Flag) {
        self.socket = socket
        self.isServerStopped = isServerStopped
        tls = TLSPipe(context: context)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Like an honest server

    /// TLS, the client's preface, our SETTINGS.
    func greet(_ settings: [UInt16: UInt32] = [3: 100]) throws {
        while true {
            let progress = tls.handshake()
            try drain()
            if progress == .done { break }
            guard progress == .going else { throw Gone() }
            try receive()
        }
        guard try read(24) == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) else { throw Gone() }
        try send(.settings(settings))
    }

    /// Reads until the end of the next request (with `whole` false: until its header fields) and returns its stream.
    func request(whole: Bool = true) throws -> Int32 {
        while true {
            let frame = try frame()
            let isEnd = frame.flags & Frame.endStream != 0
            switch Frame.Kind(rawValue: frame.kind) {
            case .headers where isEnd || !whole: return frame.stream
            case .data where isEnd: return frame.stream
            default: continue
            }
        }
    }

    /// Answers the first request, so that what follows meets a connection that works.
    func warm(_ settings: [UInt16: UInt32] = [3: 100]) throws {
        try greet(settings)
        try send(.answer(try request()))
    }

    /// Reads the next frame; acknowledges SETTINGS on the way.
    func frame() throws -> Frame {
        let header = try read(9)
        let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        let frame = Frame(header: header, payload: try read(length))
        if frame.kind == Frame.Kind.settings.rawValue, frame.flags & Frame.acknowledgement == 0 {
            try send(Frame(.settings, flags: Frame.acknowledgement))
        }
        return frame
    }

    func send(_ frames: Frame...) throws { try send(bytes: frames.flatMap(\.bytes)) }

    /// Bytes inside TLS.
    func send(bytes: [UInt8]) throws {
        guard bytes.withUnsafeBytes({ tls.write($0) }) else { throw Gone() }
        try drain()
    }

    // MARK: Unlike one

    /// Bytes outside TLS.
    func sendNaked(_ bytes: [UInt8]) throws {
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { throw Gone() }
    }

    /// The end of TLS, with the socket still open.
    func endTLS() throws {
        tls.close()
        try drain()
    }

    /// The end of the socket, without a word from TLS.
    func closeSocket() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// The socket is torn down, as if the host had been started anew.
    func resetSocket() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        // Closed by the server after the script; the option makes that a reset.
    }

    /// Reads and forgets everything until the client leaves.
    func untilGone() {
        while (try? receive()) != nil, !tls.isReady || (try? decrypt()) != nil { plain.removeAll() }
    }

    /// Neither reads nor writes.
    func untilServerStops() { _ = isServerStopped.block() }

    // MARK: -

    private func read(_ count: Int) throws -> [UInt8] {
        // What came with the end of the handshake is there already.
        try decrypt()
        while plain.count < count {
            try receive()
            try decrypt()
        }
        defer { plain.removeFirst(count) }
        return Array(plain[..<count])
    }

    private func receive() throws {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw Gone() }
        buffer.withUnsafeBytes { tls.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private func decrypt() throws {
        while true {
            let got = buffer.withUnsafeMutableBytes { tls.read(into: $0) }
            guard let got else { throw Gone() }
            if got == 0 { return }
            plain += buffer[..<got]
        }
    }

    private func drain() throws {
        while true {
            let count = buffer.withUnsafeMutableBytes { tls.drain(into: $0) }
            if count == 0 { return }
            try sendNaked(Array(buffer[..<count]))
        }
    }
}
