/// A message that a consumer received and has to acknowledge or reject.
public struct Delivery: Equatable, Sendable {
    /// Valid only on the connection that delivered it; `Consumer` ignores a tag of an earlier one.
    public internal(set) var tag: UInt64
    /// Which of a consumer's connections delivered it.
    var generation: Int = 0
    public internal(set) var consumerTag: String
    public internal(set) var redelivered: Bool
    public internal(set) var exchange: String
    public internal(set) var routingKey: String
    public internal(set) var messageID: String = ""
    public internal(set) var type: String = ""
    public internal(set) var contentType: String = ""
    public internal(set) var appID: String = ""
    public internal(set) var correlationID: String = ""
    /// Seconds since 1970; 0 if there was none.
    public internal(set) var timestamp: UInt64 = 0
    public internal(set) var headers: Headers = [:]
    public internal(set) var body: [UInt8] = []

    /// How often a quorum queue delivered it before; absent on a first delivery of newer brokers.
    public var deliveryCount: Int { headers["x-delivery-count"]?.integer.map { Int(clamping: $0) } ?? 0 }

    /// A delivery out of thin air, for tests of what consumes them.
    public init(
        tag: UInt64, redelivered: Bool = false, exchange: String = "", routingKey: String = "", messageID: String = "",
        type: String = "", headers: Headers = [:], body: [UInt8] = []
    ) {
        self.tag = tag
        self.consumerTag = ""
        self.redelivered = redelivered
        self.exchange = exchange
        self.routingKey = routingKey
        self.messageID = messageID
        self.type = type
        self.headers = headers
        self.body = body
    }
}
