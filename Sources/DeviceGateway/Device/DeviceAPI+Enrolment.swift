import Cryptography
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    /// The request is signed with the key it brings: possession is proved in the same breath.
    func enrol(_ signed: SignedCall, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPIEnrolment(decoding: bytes) }
        guard let key = DeviceKey(wish.signingAlgorithm, wish.signingKey) else {
            throw Problem(.badRequest, "signingKey is no key of signingAlgorithm")
        }
        guard wish.publicKey.count == 32, Naming.isKeyID(wish.keyID) else {
            throw Problem(.badRequest, "publicKey must have 32 bytes and keyId be 1 to 64 of [A-Za-z0-9_.-]")
        }
        guard wish.device == signed.device, signed.isValid(under: key) else { throw Problem(.badSignature) }
        let ticket = Digest.sha256(Array(wish.ticket.utf8))
        try enrolments.check(ticket: ticket)
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.enrol_device(\(ticket), \(wish.device),
                    \(wish.platform.rawValue), \(wish.signingAlgorithm.rawValue), \(wish.signingKey), \(wish.keyID),
                    \(wish.publicKey))
                """))
        guard outcome.word == "enrolled" else { throw try outcome.problem() }
        let enrolled = DeviceAPIEnrolled(
            device: wish.device, account: try outcome.get("account"), deviceSetVersion: try outcome.get("set_version"))
        return .json(enrolled.encoded(), status: 201)
    }

    func putKey(_ device: Identifier, _ id: String, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPIAgreementKey(decoding: bytes) }
        guard wish.publicKey.count == 32 else { throw Problem(.badRequest, "publicKey must have 32 bytes") }
        let outcome = try Outcome(
            await store.row("SELECT * FROM delivery.put_device_key(\(device), \(id), \(wish.publicKey))"))
        switch outcome.word {
        case "created": return Response(status: 201)
        case "same": return Response(status: 204)
        default: throw try outcome.problem()
        }
    }
}
