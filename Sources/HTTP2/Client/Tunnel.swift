/// What is said to a proxy and what it may answer: the bytes before TLS begins.
struct Tunnel: Equatable {
    enum Progress: Equatable {
        case going
        /// So many bytes of what was just given belong to the answer; TLS starts behind them.
        case open(used: Int)
        case refused(String)
    }

    /// An answer longer than this is none.
    static let answerLimit = 16 * 1024

    /// What opens the tunnel.
    let request: [UInt8]
    private let proxy: String
    private var answer: [UInt8] = []

    init(to origin: Origin, through proxy: Proxy) {
        // The port is always named, whatever the scheme's own is.
        let name = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        var text = "CONNECT \(name):\(origin.port) HTTP/1.1\r\nHost: \(name):\(origin.port)\r\n"
        if let credentials = proxy.credentials {
            text += "Proxy-Authorization: Basic \(Self.base64(Array(credentials.utf8)))\r\n"
        }
        request = Array("\(text)\r\n".utf8)
        self.proxy = proxy.description
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Progress {
        let before = answer.count
        answer.append(contentsOf: bytes)
        guard let end = Self.end(of: answer) else {
            return answer.count > Self.answerLimit ? .refused("proxy \(proxy): no end to its answer") : .going
        }
        let line = String(decoding: answer.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            return .refused("proxy \(proxy): does not speak HTTP/1")
        }
        guard (200..<300).contains(status) else {
            return .refused("proxy \(proxy): \(line.dropFirst(words[0].count + 1).prefix(100))")
        }
        return .open(used: end - before)
    }

    /// The index behind the empty line.
    private static func end(of bytes: [UInt8]) -> Int? {
        var lineStart = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A {
            let length = index - lineStart
            if lineStart > 0, length == 0 || (length == 1 && bytes[lineStart] == 0x0D) { return index + 1 }
            lineStart = index + 1
        }
        return nil
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for index in 0..<4 {
                let isPadding = index > part.count
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * index) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
