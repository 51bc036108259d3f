public import Delivery

/// Body of `PUT /v1/jobs/{jobId}/fanout/{epoch}`: one ciphertext a recipient, but for those that came ahead as parts.
/// Answer 201, a replay 200.
public struct DeviceAPISubmission: Equatable, Sendable {
    public var nonce: Identifier
    /// BLAKE2b-256 over all ciphertexts, parts too, as `digestInput` lays them out; an epoch takes one digest only.
    public var digest: [UInt8]
    public var ciphertexts: [String: [UInt8]]

    public init(nonce: Identifier, digest: [UInt8], ciphertexts: [String: [UInt8]]) {
        self.nonce = nonce
        self.digest = digest
        self.ciphertexts = ciphertexts
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("nonce", nonce.description)
            $0.member("digest", base64: digest)
            $0.key("ciphertexts")
            $0.object {
                for recipient in ciphertexts.keys.sorted() { $0.member(recipient, base64: ciphertexts[recipient]) }
            }
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        let inner = try reader.object("ciphertexts")
        var ciphertexts: [String: [UInt8]] = [:]
        for recipient in inner.names { ciphertexts[recipient] = try inner.bytes(recipient) }
        self.init(nonce: try reader.identifier("nonce"), digest: try reader.bytes("digest"), ciphertexts: ciphertexts)
    }

    /// Recipients in byte order, each as two big-endian bytes of length and its text, then four of length and the ciphertext.
    public static func digestInput(_ ciphertexts: [String: [UInt8]]) -> [UInt8] {
        var input: [UInt8] = []
        for recipient in digestOrder(ciphertexts.keys) {
            input += digestInput(of: ciphertexts[recipient] ?? [], for: recipient)
        }
        return input
    }

    /// Recipients in byte order.
    public static func digestOrder(_ recipients: some Sequence<String>) -> [String] {
        recipients.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The part of the input that is one recipient's.
    public static func digestInput(of ciphertext: [UInt8], for recipient: String) -> [UInt8] {
        var input = [
            UInt8(truncatingIfNeeded: recipient.utf8.count >> 8), UInt8(truncatingIfNeeded: recipient.utf8.count),
        ]
        input += recipient.utf8
        for shift in [24, 16, 8, 0] { input.append(UInt8(truncatingIfNeeded: ciphertext.count >> shift)) }
        return input + ciphertext
    }
}
