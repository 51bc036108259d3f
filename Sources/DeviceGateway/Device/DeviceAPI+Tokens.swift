import Cryptography
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    /// Whether alerts are allowed plays no part: registration does not depend on any permission.
    func registerToken(_ device: Identifier, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPIPushToken(decoding: bytes) }
        guard TokenFormat.isValid(wish.token, provider: wish.provider, kind: wish.kind) else {
            throw Problem(.badTokenFormat)
        }
        guard Route(provider: wish.provider, environment: wish.environment, app: wish.app).isValid else {
            throw Problem(.unknownApp)
        }
        let subject = TokenSubject(
            device: device.bytes, provider: wish.provider.rawValue, app: wish.app, environment: wish.environment)
        // Apple's digits may come in either case; one phone must have one fingerprint.
        let token = wish.provider == .apns ? wish.token.lowercased() : wish.token
        let sealed = vault.seal(token, for: subject)
        let fingerprints = vault.fingerprints(of: token)
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.register_token(\(device), \(wish.registration), \(wish.provider.rawValue),
                    \(wish.app), \(wish.environment), \(wish.kind.rawValue), \(sealed.bytes), \(sealed.keyID),
                    \(fingerprints[0].bytes), \(fingerprints[0].keyID), \(fingerprints.map(\.bytes)))
                """))
        guard outcome.word == "registered" else { throw try outcome.problem() }
        return Response(status: 204)
    }

    func removeToken(_ device: Identifier, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPIPushTokenRemoval(decoding: bytes) }
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.detach_token(\(device), \(wish.registration), \(wish.provider.rawValue))
                """))
        guard outcome.word == "detached" else { throw try outcome.problem() }
        return Response(status: 204)
    }
}
