/// A message to publish: always persistent, always `mandatory` (one that reaches no queue comes back).
public struct Message: Equatable, Sendable {
    public var exchange: String
    public var routingKey: String
    /// Stable over retries and replays (W3).
    public var messageID: String
    /// `hint.v1` and so on.
    public var type: String
    public var contentType: String
    public var appID: String
    public var correlationID: String
    /// Seconds since 1970; 0 leaves it out.
    public var timestamp: UInt64
    public var headers: Headers
    public var body: [UInt8]

    public init(
        exchange: String, routingKey: String, messageID: String, type: String, headers: Headers = [:], body: [UInt8],
        contentType: String = "application/json", appID: String = "mobile-delivery", correlationID: String = "",
        timestamp: UInt64 = 0
    ) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.messageID = messageID
        self.type = type
        self.contentType = contentType
        self.appID = appID
        self.correlationID = correlationID
        self.timestamp = timestamp
        self.headers = headers
        self.body = body
    }

    /// Most bytes that an encoded header table may have. The library notices a table that is too large only after it
    /// has written half of the message, so it is measured before.
    public static let largestHeaders = 16_384

    /// Why this message can never be published, if so. `publish` answers it with `notWritten`.
    public var fault: String? {
        if let name = longProperty { return "the \(name) is longer than 255 bytes" }
        if headers.keys.contains(where: { $0.utf8.count > 128 }) { return "a header name is longer than 128 bytes" }
        let size = HeaderValue.encodedSize(of: headers)
        return size > Self.largestHeaders ? "the headers take \(size) bytes, at most \(Self.largestHeaders) may" : nil
    }

    private var longProperty: String? {
        func isLong(_ text: String) -> Bool { text.utf8.count > 255 }
        if isLong(exchange) { return "exchange" }
        if isLong(routingKey) { return "routing key" }
        if isLong(messageID) { return "message id" }
        if isLong(type) { return "type" }
        if isLong(contentType) { return "content type" }
        if isLong(appID) { return "app id" }
        return isLong(correlationID) ? "correlation id" : nil
    }
}
