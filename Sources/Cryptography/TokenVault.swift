/// Whom and what for a provider token is: authenticated with the sealed token, so that it cannot be moved to another row (K4).
public struct TokenSubject: Equatable, Sendable {
    /// Sixteen bytes.
    public var device: [UInt8]
    public var provider: String
    public var app: String
    public var environment: String

    public init(device: [UInt8], provider: String, app: String, environment: String) {
        self.device = device
        self.provider = provider
        self.app = app
        self.environment = environment
    }

    var associatedData: [UInt8] {
        Array("md.token.v1".utf8) + device + ByteLayout.prefixed(provider) + ByteLayout.prefixed(app)
            + ByteLayout.prefixed(environment)
    }
}

/// Why a sealed token does not open.
public enum TokenVaultError: Error, Equatable, CustomStringConvertible {
    case unknownKey(String)
    case doesNotOpen

    public var description: String {
        switch self {
        case .unknownKey(let id): "sealing key \(id) is not in MOBILE_DELIVERY_TOKEN_KEYS"
        case .doesNotOpen: "the sealed token does not belong to this device and route, or is damaged"
        }
    }
}

/// Seals, opens and fingerprints provider tokens (K4). Several keys may open, one writes; the gateway seals, senders open.
public struct TokenVault: Sendable {
    /// Bytes and the id of the key that made them.
    public struct Keyed: Equatable, Sendable {
        public var bytes: [UInt8]
        public var keyID: String
    }

    private let keys: TokenKeys

    public init(keys: TokenKeys) { self.keys = keys }

    public func seal(_ token: String, for subject: TokenSubject) -> Keyed {
        Keyed(
            bytes: SecretBox.seal(
                Array(token.utf8), associated: subject.associatedData, key: keys.sealing.writing.bytes),
            keyID: keys.sealing.writing.id)
    }

    public func open(_ sealed: [UInt8], keyID: String, for subject: TokenSubject) throws(TokenVaultError) -> String {
        guard let key = keys.sealing[keyID] else { throw .unknownKey(keyID) }
        guard let bytes = SecretBox.open(sealed, associated: subject.associatedData, key: key),
            let token = String(validating: bytes, as: UTF8.self)
        else { throw .doesNotOpen }
        return token
    }

    /// Keyed BLAKE2b-256 under the key that writes.
    public func fingerprint(of token: String) -> Keyed {
        Keyed(
            bytes: TokenVault.fingerprint(of: token, key: keys.fingerprinting.writing.bytes),
            keyID: keys.fingerprinting.writing.id)
    }

    /// Under every key, the writing one first: what a look-up compares while fingerprint keys change.
    public func fingerprints(of token: String) -> [Keyed] {
        keys.fingerprinting.all.map { key in
            Keyed(bytes: TokenVault.fingerprint(of: token, key: key.bytes), keyID: key.id)
        }
    }

    private static func fingerprint(of token: String, key: [UInt8]) -> [UInt8] {
        Digest.blake2b(Array(token.utf8), key: key, personalisation: "md.fingerprint.1")
    }
}
