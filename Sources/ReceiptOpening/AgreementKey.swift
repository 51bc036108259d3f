import CSodium
import Cryptography

/// A device's X25519 key pair; producers seal to its public half.
public struct AgreementKey: Equatable, Sendable {
    /// Names it towards the server.
    public let id: String
    public let publicKey: [UInt8]
    /// 32 bytes; never leaves the device.
    public let secretKey: [UInt8]

    /// `nil` unless the secret has 32 bytes.
    public init?(id: String, secretKey: [UInt8]) {
        guard secretKey.count == 32 else { return nil }
        Sodium.prepare()
        var publicKey = [UInt8](repeating: 0, count: 32)
        guard crypto_scalarmult_curve25519_base(&publicKey, secretKey) == 0 else { return nil }
        self.id = id
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    public static func random(id: String) -> AgreementKey {
        AgreementKey(id: id, secretKey: RandomBytes.make(32))!
    }
}
