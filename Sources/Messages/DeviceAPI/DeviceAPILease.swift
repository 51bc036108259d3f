public import Delivery

/// Answer 200 of a lease request or renewal.
public struct DeviceAPILease: Equatable, Sendable {
    public var epoch: Int64
    public var nonce: Identifier
    /// From the server's answer; the device counts it from before it asked.
    public var ttlMilliseconds: Int64

    public init(epoch: Int64, nonce: Identifier, ttlMilliseconds: Int64) {
        self.epoch = epoch
        self.nonce = nonce
        self.ttlMilliseconds = ttlMilliseconds
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("epoch", epoch)
            $0.member("nonce", nonce.description)
            $0.member("ttlMs", ttlMilliseconds)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            epoch: try reader.integer("epoch"),
            nonce: try reader.identifier("nonce"),
            ttlMilliseconds: try reader.integer("ttlMs"))
    }
}
