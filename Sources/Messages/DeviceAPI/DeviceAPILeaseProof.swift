public import Delivery

/// Body of a renewal (`PUT …/fanout-lease/{epoch}`) and of a release (`DELETE …/fanout-lease/{epoch}`).
public struct DeviceAPILeaseProof: Equatable, Sendable {
    /// Of the grant.
    public var nonce: Identifier

    public init(nonce: Identifier) {
        self.nonce = nonce
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("nonce", nonce.description)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            nonce: try reader.identifier("nonce"))
    }
}
