import Glibc
import Synchronization

@testable import HTTP2

/// A proxy that opens one tunnel a connection, always to the same loopback port, and notes what it was asked.
final class TunnelProxy: Sendable {
    let port: UInt16
    private let listener: Int32
    private let target: UInt16
    private let answer: String
    private let asked = Mutex<[String]>([])

    /// With another `answer` than the usual no tunnel is opened.
    init(to target: UInt16, answer: String = "HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n") throws {
        (listener, port) = try Listening.open(host: "127.0.0.1", port: 0)
        _ = fcntl(listener, F_SETFL, 0)
        self.target = target
        self.answer = answer
        Thread.start { [self] in accept() }
    }

    var requests: [String] { asked.withLock { $0 } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            Thread.start { [self] in
                serve(client)
                close(client)
            }
        }
        Listening.close(listener)
    }

    private func serve(_ client: Int32) {
        var request: [UInt8] = []
        var byte: UInt8 = 0
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(client, &byte, 1, 0) == 1 else { return }
            request.append(byte)
        }
        asked.withLock { $0.append(String(decoding: request, as: UTF8.self)) }
        guard send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) == answer.utf8.count,
            answer.hasPrefix("HTTP/1.1 200"),
            let address = try? SocketAddress.lookUp(host: "127.0.0.1", port: target).get().first
        else {
            // Until the client leaves.
            while recv(client, &byte, 1, 0) == 1 {}
            return
        }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        guard address.withPointer({ connect(server, $0, $1) }) == 0 else { return }
        forward(client, server)
    }

    private func forward(_ client: Int32, _ server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, 2, -1) > 0 else { return }
            for (entry, other) in zip(entries, [server, client]) where entry.revents != 0 {
                let count = recv(entry.fd, &buffer, buffer.count, 0)
                guard count > 0, send(other, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
