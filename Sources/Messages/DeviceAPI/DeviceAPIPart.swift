public import Delivery

/// Body of `PUT /v1/jobs/{jobId}/fanout/{epoch}/parts/{recipient}`: one recipient's ciphertext, ahead of a submission that is
/// too large for one request. Answer 204, also when repeated.
public struct DeviceAPIPart: Equatable, Sendable {
    public var nonce: Identifier
    public var ciphertext: [UInt8]

    public init(nonce: Identifier, ciphertext: [UInt8]) {
        self.nonce = nonce
        self.ciphertext = ciphertext
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("nonce", nonce.description)
            $0.member("ciphertext", base64: ciphertext)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(nonce: try reader.identifier("nonce"), ciphertext: try reader.bytes("ciphertext"))
    }
}
