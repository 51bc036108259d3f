/// Reads HTTP/1.1 requests (RFC 9112) out of a stream of bytes: bodies of a given length or in chunks, one request after
/// the other. Pure.
struct Http1Reader {
    struct Message: Equatable {
        var method: String
        var target: String
        /// Names in lower case, in the order of the wire.
        var fields: [HeaderField]
        var body: [UInt8] = []
        /// The client sends no further request, or can't.
        var isLast: Bool
    }

    enum Event: Equatable {
        /// More bytes are needed.
        case wait
        /// The client waits to be told to send its body.
        case wantsContinue
        case message(Message)
        /// The answer's status; nothing can be read after it.
        case fault(Int)
    }

    private enum Stage {
        case head
        case fixed(Message, length: Int)
        case chunks(Message)
        case broken(Int)
    }

    private static let headLimit = 64 << 10
    private let bodyLimit: Int
    private var bytes: [UInt8] = []
    private var position = 0
    private var stage = Stage.head

    init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

    /// Nothing of a further request is here yet.
    var isEmpty: Bool { if case .head = stage { position == bytes.count } else { false } }

    /// Bytes that wait.
    var count: Int { bytes.count - position }

    mutating func append(_ more: some Sequence<UInt8>) {
        if position > 0 {
            bytes.removeFirst(position)
            position = 0
        }
        bytes.append(contentsOf: more)
    }

    mutating func next() -> Event {
        switch stage {
        case .head: readHead()
        case .fixed(let message, let length): readFixed(message, length)
        case .chunks(let message): readChunks(message)
        case .broken(let status): .fault(status)
        }
    }

    private mutating func fail(_ status: Int) -> Event {
        stage = .broken(status)
        return .fault(status)
    }

    /// The line from `position` to CRLF, which is skipped; nil if it is not whole.
    private mutating func line() -> String? {
        guard let end = lineEnd(from: position) else { return nil }
        let text = String(decoding: bytes[position..<end], as: UTF8.self)
        position = end + 2
        return text
    }

    private func lineEnd(from start: Int) -> Int? {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == 0x0D && bytes[index + 1] == 0x0A { return index }
            index += 1
        }
        return nil
    }

    private mutating func readHead() -> Event {
        var end = position
        // Empty lines before a request are allowed.
        while end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A {
            end += 2
            position = end
        }
        while let next = lineEnd(from: end), next > end { end = next + 2 }
        guard lineEnd(from: end) == end else {
            return bytes.count - position > Self.headLimit ? fail(431) : .wait
        }
        let first = (line() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard first.count == 3, first[2].hasPrefix("HTTP/1."), !first[0].isEmpty, !first[1].isEmpty else {
            return fail(400)
        }
        var message = Message(
            method: String(first[0]), target: String(first[1]), fields: [], isLast: first[2] == "HTTP/1.0")
        while let text = line(), !text.isEmpty {
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, text.first != " " else {
                return fail(400)
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { $0 != " " && $0 != "\t" }.map { value.index(after: $0) } ?? value.endIndex
            message.fields.append(HeaderField(text[..<colon].lowercased(), String(value[..<end])))
        }
        return readBody(message)
    }

    private mutating func readBody(_ message: Message) -> Event {
        var message = message
        func value(_ name: String) -> String? { message.fields.last { $0.name == name }?.value.lowercased() }
        if value("connection") == "close" { message.isLast = true }
        let wantsContinue = value("expect") == "100-continue"
        if let coding = value("transfer-encoding") {
            guard coding == "chunked", value("content-length") == nil else { return fail(400) }
            stage = .chunks(message)
        } else {
            guard let length = Int(value("content-length") ?? "0"), length >= 0 else { return fail(400) }
            guard length <= bodyLimit else { return fail(413) }
            stage = .fixed(message, length: length)
        }
        return wantsContinue && position == bytes.count ? .wantsContinue : next()
    }

    private mutating func readFixed(_ message: Message, _ length: Int) -> Event {
        guard bytes.count - position >= length else { return .wait }
        var message = message
        message.body = Array(bytes[position..<(position + length)])
        position += length
        stage = .head
        return .message(message)
    }

    private mutating func readChunks(_ message: Message) -> Event {
        var message = message
        while true {
            let start = position
            guard let size = line() else { return .wait }
            guard let length = Int(size.prefix { $0 != ";" }, radix: 16), length >= 0 else { return fail(400) }
            guard message.body.count + length <= bodyLimit else { return fail(413) }
            guard bytes.count - position >= length + 2 else {
                position = start
                return .wait
            }
            message.body += bytes[position..<(position + length)]
            position += length
            if length == 0 {
                // Trailers are skipped up to the empty line.
                while let trailer = line() {
                    if trailer.isEmpty {
                        stage = .head
                        return .message(message)
                    }
                }
                position = start
                return .wait
            }
            guard bytes[position] == 0x0D, bytes[position + 1] == 0x0A else { return fail(400) }
            position += 2
            stage = .chunks(message)
        }
    }
}
