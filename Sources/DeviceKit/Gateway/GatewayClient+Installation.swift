import Delivery
import Messages
import ReceiptOpening

extension GatewayClient {
    /// The same ticket with the same keys gets the same answer, so a lost one may be asked for again.
    func enrol(ticket: String, platform: Platform) async throws(CallFailure) -> DeviceAPIEnrolled {
        let enrolment: DeviceAPIEnrolment
        do {
            let signer = try await keys.requestSigner()
            let agreement = try await keys.currentAgreementKey()
            enrolment = DeviceAPIEnrolment(
                ticket: ticket, device: device, platform: platform, signingAlgorithm: signer.algorithm,
                signingKey: signer.publicKey, keyID: agreement.id, publicKey: agreement.publicKey)
        } catch {
            switch error {
            case .locked: throw .locked
            case .failed(let reason): throw .unreachable(reason)
            case .stopped: throw .stopped
            }
        }
        let answer = try await call("POST", "/v1/devices", body: enrolment.encoded())
        do { return try DeviceAPIEnrolled(decoding: answer.body) } catch { throw .malformed("\(error)") }
    }

    func put(_ token: DeviceAPIPushToken) async throws(CallFailure) {
        _ = try await call("PUT", "/v1/devices/me/push-token", body: token.encoded())
    }

    func remove(_ token: DeviceAPIPushTokenRemoval) async throws(CallFailure) {
        _ = try await call("DELETE", "/v1/devices/me/push-token", body: token.encoded())
    }
}
