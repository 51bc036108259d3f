public import Delivery

/// Body of `POST /v1/jobs/{jobId}/ack`; answer 202 once the broker has it.
public struct DeviceAPIAck: Equatable, Sendable {
    public var origin: Origin
    /// K6, 32 bytes.
    public var receiptEvidence: [UInt8]
    /// Grows with every ack and nack of the installation.
    public var clientSequence: Int64

    public init(origin: Origin, receiptEvidence: [UInt8], clientSequence: Int64) {
        self.origin = origin
        self.receiptEvidence = receiptEvidence
        self.clientSequence = clientSequence
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("origin", origin.rawValue)
            $0.member("receiptEvidence", base64: receiptEvidence)
            $0.member("clientSeq", clientSequence)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            origin: try reader.word("origin"),
            receiptEvidence: try reader.bytes("receiptEvidence"),
            clientSequence: try reader.integer("clientSeq"))
    }
}
