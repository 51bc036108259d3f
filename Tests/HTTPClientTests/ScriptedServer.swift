import Glibc
import Synchronization

/// Accepts one connection after another on a loopback port, keeps what was asked and answers with fixed bytes.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let answer: [UInt8]?
    private let seen = Mutex<[String]>([])

    /// Each request's head and body as text.
    var requests: [String] { seen.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    /// `answer` nil: says nothing and keeps the connection open.
    init(answer: String?) {
        self.answer = answer.map { Array($0.utf8) }
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                bind(listener, general, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, general, &length) == 0
            }
        }
        precondition(bound, "no loopback port")
        port = UInt16(bigEndian: address.sin_port)
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<ScriptedServer>.fromOpaque(context!).takeRetainedValue().serve()
                return nil
            }, context)
        pthread_detach(thread)
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        var silent: [Int32] = []
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let request = Self.read(connection)
            seen.withLock { $0.append(request) }
            if let answer {
                _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                close(connection)
            } else {
                silent.append(connection)
            }
        }
        for connection in silent + [listener] { close(connection) }
    }

    private static func read(_ connection: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            guard let head = text.firstRange(of: "\r\n\r\n") else { continue }
            let lengthField = text[..<head.lowerBound].split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("content-length:")
            }
            let length = lengthField.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
            if text[head.upperBound...].utf8.count >= length { return text }
        }
    }
}
