import Cryptography
import Messages
import TokenSigning

/// What a device signs with. Enrolment fixes it for the device's life, so it may be kept; whether the device is revoked is
/// read anew by every call.
enum DeviceKey: Sendable {
    case ed25519([UInt8])
    case p256(PublicKey)

    /// Nil for bytes that are no key of that algorithm.
    init?(_ algorithm: SigningAlgorithm, _ bytes: [UInt8]) {
        switch algorithm {
        case .ed25519:
            guard bytes.count == 32 else { return nil }
            self = .ed25519(bytes)
        case .ecdsaP256SHA256:
            guard let key = try? PublicKey(p256Point: bytes) else { return nil }
            self = .p256(key)
        }
    }

    func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch self {
        case .ed25519(let key): Ed25519.isValid(signature, of: message, publicKey: key)
        case .p256(let key): signature.count == 64 && key.isValid(signature, for: message)
        }
    }
}
