/// The secret of one job (K1). It encrypts nothing itself: every use has a key of its own that comes from it.
public struct ContentKey: Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    public static func random() -> ContentKey { ContentKey(bytes: RandomBytes.make(32))! }

    /// BLAKE2b-256 with a personalisation of its own: binds a ciphertext to this one key, which the cipher does not.
    public var commitment: [UInt8] { Digest.blake2b(bytes, key: [], personalisation: "md.commitment.v1") }

    public var bodyKey: [UInt8] { Subkey.derive(1, context: "md-body1", from: bytes) }

    /// What two devices prove the same receipt with (K6).
    public var evidenceKey: [UInt8] { Subkey.derive(1, context: "md-evid1", from: bytes) }

    /// HMAC of a receipt's digest: equal for equal receipts of this job, and opaque to who lacks the content key.
    public func evidence(ofReceiptDigest digest: [UInt8]) -> [UInt8] { Digest.hmac(digest, key: evidenceKey) }

    /// Under which a device encrypts for one downstream recipient; the producer, who made the content key, can open it.
    public func downstreamKey(for recipient: String) -> [UInt8] {
        let key = Subkey.derive(1, context: "md-down1", from: bytes)
        return Digest.blake2b(Array(recipient.utf8), key: key, personalisation: "md.downstream.v1")
    }
}
