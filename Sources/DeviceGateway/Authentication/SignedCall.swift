import Cryptography
import Delivery
import HTTPServer
import Messages

/// The signature that a request carries, taken apart; nothing is believed yet (K5).
struct SignedCall {
    let device: Identifier
    private let base: [UInt8]
    private let bytes: [UInt8]

    /// `now` in epoch milliseconds. Throws for anything but exactly the profile, and for a time outside the window.
    init(_ request: Request, now: Int64) throws(Problem) {
        guard let input = request.headers["signature-input"], let parsed = RequestSignature(input: input),
            let header = request.headers["signature"], let bytes = RequestSignature.signature(inHeader: header),
            let host = request.headers["host"], !host.isEmpty
        else { throw Problem(.badSignature, "the headers do not follow the profile") }
        guard parsed.coversContent == !request.body.isEmpty else {
            throw Problem(.badSignature, "content-digest and content-type are covered if and only if there is a body")
        }
        let signed = SignedRequest(
            method: request.method, authority: host.lowercased(), path: String(request.path),
            query: String(request.query ?? ""), content: try Self.content(request))
        guard let base = parsed.base(of: signed) else { throw Problem(.badSignature) }
        guard parsed.isFresh(at: now / 1_000) else { throw Problem(.clockSkew).with("serverTime", now) }
        device = parsed.keyID
        self.base = base
        self.bytes = bytes
    }

    func isValid(under key: DeviceKey) -> Bool { key.isValid(bytes, of: base) }

    private static func content(_ request: Request) throws(Problem) -> SignedRequest.Content? {
        guard !request.body.isEmpty else { return nil }
        guard let header = request.headers["content-digest"], let digest = RequestSignature.digest(inHeader: header),
            let type = request.headers["content-type"]
        else { throw Problem(.badSignature, "content-digest or content-type is missing or malformed") }
        guard digest == Digest.sha256(request.body) else {
            throw Problem(.badSignature, "content-digest is not that of the body")
        }
        return SignedRequest.Content(digest: digest, type: type)
    }
}
