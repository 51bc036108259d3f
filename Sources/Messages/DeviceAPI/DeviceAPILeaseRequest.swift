public import Delivery

/// Body of `POST /v1/jobs/{jobId}/fanout-lease`; the same attempt gets the same grant or none.
public struct DeviceAPILeaseRequest: Equatable, Sendable {
    /// Random per attempt, stored by the device before it asks.
    public var attemptID: Identifier

    public init(attemptID: Identifier) {
        self.attemptID = attemptID
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("attemptId", attemptID.description)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            attemptID: try reader.identifier("attemptId"))
    }
}
