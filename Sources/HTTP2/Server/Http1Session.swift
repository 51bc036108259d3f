/// The requests of a client that only speaks HTTP/1.1: one after the other, each answered before the next is looked at.
final class Http1Session {
    private enum Stage {
        case waiting
        /// A handler has the request.
        case handling
        /// The header went out, the body follows in chunks.
        case writing
    }

    private var reader: Http1Reader
    private var stage = Stage.waiting
    private var number: Int32 = 0
    private var isLast = false
    private var isAdvancing = false
    private let waitingLimit: Int
    /// Nothing more is to be read or written.
    private(set) var isOver = false

    init(bodyLimit: Int) {
        reader = Http1Reader(bodyLimit: bodyLimit)
        // A client that sends on without reading answers is cut off.
        waitingLimit = 2 * bodyLimit + (1 << 20)
    }

    /// No request is under way.
    var isWaiting: Bool { if case .waiting = stage { reader.isEmpty } else { false } }

    func receive(_ bytes: UnsafeRawBufferPointer, _ connection: ServerConnection) {
        reader.append(bytes)
        if reader.count > waitingLimit { isOver = true }
        advance(connection)
    }

    /// Takes up one request after the other for as long as they are answered at once.
    private func advance(_ connection: ServerConnection) {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while case .waiting = stage, !isOver {
            switch reader.next() {
            case .wait: return
            case .wantsContinue: return put("HTTP/1.1 100 Continue\r\n\r\n", connection.channel)
            case .fault(let status):
                number += 1
                stage = .handling
                isLast = true
                answer(number, Response(status: status), connection)
            case .message(let message):
                number += 1
                stage = .handling
                isLast = isLast || message.isLast
                let request = received(message, connection)
                connection.follow(connection.decide(request), request)
            }
        }
    }

    private func received(_ message: Http1Reader.Message, _ connection: ServerConnection) -> ReceivedRequest {
        var fields = Headers()
        fields.append(":method", message.method)
        fields.append(":path", message.target)
        for field in message.fields { fields.append(field) }
        return ReceivedRequest(
            version: .http1, connection: connection.id, stream: number, fields: fields,
            body: message.body)
    }

    // MARK: Answers. False: that request is not the one under way.

    @discardableResult
    func answer(_ request: Int32, _ response: Response, _ connection: ServerConnection) -> Bool {
        guard request == number, case .handling = stage else { return false }
        var head = head(response.status, response.headers)
        head += "content-length: \(response.body.count)\r\n\r\n"
        put(head, connection.channel)
        response.body.withUnsafeBytes { connection.channel.write($0) }
        ended(connection)
        return true
    }

    func begin(_ request: Int32, status: Int, headers: Headers, _ channel: Channel) -> Bool {
        guard request == number, case .handling = stage else { return false }
        put(head(status, headers) + "transfer-encoding: chunked\r\n\r\n", channel)
        stage = .writing
        return true
    }

    func write(_ request: Int32, _ bytes: [UInt8], end: Bool, _ connection: ServerConnection) -> Bool {
        guard request == number, case .writing = stage else { return false }
        if !bytes.isEmpty {
            put(String(bytes.count, radix: 16) + "\r\n", connection.channel)
            bytes.withUnsafeBytes { connection.channel.write($0) }
            put("\r\n", connection.channel)
        }
        if end {
            put("0\r\n\r\n", connection.channel)
            ended(connection)
        }
        return true
    }

    /// HTTP/1.1 can end one request only with the whole connection.
    func reset(_ request: Int32, _ channel: Channel) -> Bool {
        guard request == number, !isWaiting else { return false }
        channel.flush()
        channel.abort("reset on purpose")
        return true
    }

    /// The answer under way is the last one.
    func leave() {
        isLast = true
        if isWaiting { isOver = true }
    }

    private func ended(_ connection: ServerConnection) {
        stage = .waiting
        if isLast { isOver = true } else { advance(connection) }
    }

    private func head(_ status: Int, _ headers: Headers) -> String {
        var text = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n"
        for field in headers { text += "\(field.name): \(field.value)\r\n" }
        if isLast { text += "connection: close\r\n" }
        return text
    }

    private func put(_ text: String, _ channel: Channel) {
        var text = text
        text.withUTF8 { channel.write(UnsafeRawBufferPointer($0)) }
    }

    private static let phrases = [
        200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 413: "Content Too Large", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
