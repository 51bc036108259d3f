import HTTP2

/// What our client is asked to send, to so many device paths and each time with an `apns-id` of its own.
struct HTTP2Load: Sendable {
    enum Kind: CaseIterable {
        /// A path and an `apns-id`, nothing else: beside a load generator that is told no more than the paths.
        case bare
        /// All header fields and the body of W1.
        case push
    }

    /// Requests under way at once, each awaited by a task of its own.
    let window: Int
    let paths: [String]
    let fixedFields: Headers
    /// A hint's body; each request has one of its own, with its number where the job's id is.
    let body: [UInt8]
    private let idOffset: Int
    static let idFront = "6f9619ff-8b86-4011-b42d-"
    private static let expiration = "1893456000"
    /// All fields of a push, with what differs from one to the next the same in all.
    var constantFields: Headers { request(.push, 0).headers }

    init(window: Int, paths: Int) {
        self.window = window
        self.paths = (0..<paths).map { _ in
            "/3/device/" + (0..<4).map { _ in Self.hexadecimal(.random(in: 0...UInt64.max), digits: 16) }.joined()
        }
        // As long as a provider token is: header, claims and signature in base64.
        let filling = String(repeating: "eyJhbGciO", count: 10)
        let providerToken = [44, 51, 86].map { filling.prefix($0) }.joined(separator: ".")
        fixedFields = [
            "authorization": "bearer \(providerToken)", "apns-topic": "com.example.app", "apns-push-type": "alert",
            "apns-priority": "10",
        ]
        let front = """
            {"aps":{"alert":{"title-loc-key":"RECEIPT_TITLE","loc-key":"RECEIPT_BODY"},"content-available":1,\
            "sound":"default","category":"RECEIPT"},"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,\
            "jobId":"\(Self.idFront)
            """
        body = Array(#"\#(front)00c04fc964ff","documentType":"RECEIPT"}"#.utf8)
        idOffset = front.utf8.count
    }

    func request(_ kind: Kind, _ number: Int) -> Request {
        let path = paths[number % paths.count]
        let digits = Self.hexadecimal(UInt64(number), digits: 12)
        switch kind {
        case .bare:
            var headers = Headers([], room: 1)
            headers.append("apns-id", Self.idFront + digits, isVolatile: true)
            return Request(method: "GET", path: path, headers: headers)
        case .push:
            let id = Self.idFront + digits
            var headers = fixedFields
            headers.append("apns-expiration", Self.expiration, isVolatile: true)
            headers.append("apns-id", id, isVolatile: true)
            headers.append("apns-collapse-id", id, isVolatile: true)
            var body = body
            body.replaceSubrange(idOffset..<idOffset + 12, with: digits.utf8)
            return Request(path: path, headers: headers, body: body)
        }
    }

    private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        String(unsafeUninitializedCapacity: digits) { buffer in
            var rest = number
            for index in (0..<digits).reversed() {
                let digit = UInt8(rest & 15)
                buffer[index] = digit < 10 ? 48 + digit : 87 + digit
                rest >>= 4
            }
            return digits
        }
    }
}
