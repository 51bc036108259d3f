import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages

/// Signs requests as a device does.
struct Phone {
    let id = Identifier.random()
    let key = SigningKey.random()
    let agreementKey = RandomBytes.make(32)

    /// `at` in epoch milliseconds.
    func signed(
        _ method: String, _ target: String, _ body: [UInt8] = [], at now: Int64 = Instant.now(), headers: Headers = [:],
        authority: String = "gateway.example"
    ) -> Request {
        sign(
            Request(method: method, target: target, headers: headers, body: body), at: now, authority: authority,
            by: key.sign)
    }

    func sign(
        _ request: Request, at now: Int64, authority: String = "gateway.example", by sign: ([UInt8]) -> [UInt8]
    ) -> Request {
        var request = request
        request.headers.add("Host", authority)
        var content: SignedRequest.Content?
        if !request.body.isEmpty {
            content = SignedRequest.Content(digest: Digest.sha256(request.body), type: "application/json")
            request.headers.add("Content-Type", "application/json")
            request.headers.add("Content-Digest", RequestSignature.contentDigest(Digest.sha256(request.body)))
        }
        let signature = RequestSignature(keyID: id, created: now / 1_000, coversContent: content != nil)
        let subject = SignedRequest(
            method: request.method, authority: authority, path: String(request.path),
            query: String(request.query ?? ""), content: content)
        request.headers.add("Signature-Input", signature.input)
        request.headers.add("Signature", RequestSignature.header(sign(signature.base(of: subject) ?? [])))
        return request
    }
}
