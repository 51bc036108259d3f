public import Cryptography
public import Messages
public import ReceiptOpening

/// Keys kept in the work store: for simulated phones, and for hosts whose store is itself in protected storage. Apps with
/// a Secure Enclave or a Keystore bring their own `KeyStore`.
public struct StoredKeys: KeyStore {
    private let store: any WorkStore

    public init(store: any WorkStore) { self.store = store }

    public func requestSigner() async throws(KeyStoreError) -> any RequestSigner {
        let seed = try await value("key.request", orMake: { SigningKey.random().seed })
        guard let key = SigningKey(seed: seed) else { throw .failed("request key") }
        return Ed25519Signer(key: key)
    }

    public func agreementKey(id: String) async throws(KeyStoreError) -> AgreementKey? {
        do {
            return try await store.value("key.agreement.\(id)").flatMap { AgreementKey(id: id, secretKey: $0) }
        } catch {
            throw KeyStoreError(error)
        }
    }

    public func currentAgreementKey() async throws(KeyStoreError) -> AgreementKey {
        let id = "a1"
        let secret = try await value("key.agreement.\(id)", orMake: { RandomBytes.make(32) })
        guard let key = AgreementKey(id: id, secretKey: secret) else { throw .failed("agreement key") }
        return key
    }

    private func value(_ name: String, orMake make: () -> [UInt8]) async throws(KeyStoreError) -> [UInt8] {
        do {
            if let bytes = try await store.value(name) { return bytes }
            let bytes = make()
            try await store.setValue(name, bytes)
            return bytes
        } catch {
            throw KeyStoreError(error)
        }
    }
}

/// Signs with an Ed25519 key in memory.
public struct Ed25519Signer: RequestSigner {
    private let key: SigningKey

    public init(key: SigningKey) { self.key = key }

    public var algorithm: SigningAlgorithm { .ed25519 }
    public var publicKey: [UInt8] { key.publicKey }
    public func sign(_ message: [UInt8]) throws(KeyStoreError) -> [UInt8] { key.sign(message) }
}

extension KeyStoreError {
    init(_ error: WorkStoreError) { self = error == .stopped ? .stopped : .failed("\(error)") }
}
