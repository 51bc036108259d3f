public import Delivery

/// Body of `POST /v1/jobs/{jobId}/nack`; answer 202 once the broker has it.
public struct DeviceAPINack: Equatable, Sendable {
    public var origin: Origin
    /// One word of `FailureReason`.
    public var reason: String
    /// Grows with every ack and nack of the installation.
    public var clientSequence: Int64

    public init(origin: Origin, reason: String, clientSequence: Int64) {
        self.origin = origin
        self.reason = reason
        self.clientSequence = clientSequence
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("origin", origin.rawValue)
            $0.member("reason", reason)
            $0.member("clientSeq", clientSequence)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            origin: try reader.word("origin"),
            reason: try reader.string("reason"),
            clientSequence: try reader.integer("clientSeq"))
    }
}
