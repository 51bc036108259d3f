public import Delivery

/// Type `ack.v1`: a phone ended a job, published by the gateway before it answers 202.
public struct DeviceAck: Equatable, Sendable {
    public var job: Identifier
    public var device: Identifier
    public var result: DeviceResult
    public var origin: Origin
    /// K6, 32 bytes; present when acknowledged.
    public var evidence: [UInt8]?
    /// Why it failed, one word of `FailureReason`; present when failed.
    public var reason: String?
    /// Number that the device gives its acks, growing; for display and order of one device.
    public var clientSequence: Int64
    /// The gateway's clock in epoch milliseconds.
    public var receivedAt: Int64

    public init(
        job: Identifier, device: Identifier, result: DeviceResult, origin: Origin, evidence: [UInt8]? = nil,
        reason: String? = nil, clientSequence: Int64, receivedAt: Int64
    ) {
        self.job = job
        self.device = device
        self.result = result
        self.origin = origin
        self.evidence = evidence
        self.reason = reason
        self.clientSequence = clientSequence
        self.receivedAt = receivedAt
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("job", job.description)
            $0.member("device", device.description)
            $0.member("result", result.rawValue)
            $0.member("origin", origin.rawValue)
            $0.member("evidence", base64: evidence)
            $0.member("reason", reason)
            $0.member("clientSequence", clientSequence)
            $0.member("receivedAt", receivedAt)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        self.init(
            job: try reader.identifier("job"), device: try reader.identifier("device"),
            result: try reader.word("result"), origin: try reader.word("origin"),
            evidence: try reader.optionalBytes("evidence"), reason: try reader.optionalString("reason"),
            clientSequence: try reader.integer("clientSequence"), receivedAt: try reader.integer("receivedAt"))
    }
}
