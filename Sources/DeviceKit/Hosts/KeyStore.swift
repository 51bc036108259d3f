public import Messages
public import ReceiptOpening

/// The device's secrets, readable after the first unlock (Keychain, Android Keystore).
public protocol KeyStore: Sendable {
    /// Makes the request key if there is none yet, so that an enrolment that is tried again brings the same key.
    func requestSigner() async throws(KeyStoreError) -> any RequestSigner
    /// `nil` if the device has no such key any more.
    func agreementKey(id: String) async throws(KeyStoreError) -> AgreementKey?
    /// The newest one, made if there is none yet.
    func currentAgreementKey() async throws(KeyStoreError) -> AgreementKey
}

/// Signs requests (K5); the private key may never leave its hardware.
public protocol RequestSigner: Sendable {
    var algorithm: SigningAlgorithm { get }
    var publicKey: [UInt8] { get }
    func sign(_ message: [UInt8]) throws(KeyStoreError) -> [UInt8]
}

/// Why a secret cannot be used now.
public enum KeyStoreError: Error, Equatable, Sendable {
    /// Before the first unlock after a restart: try again later, this is no failed attempt.
    case locked
    case failed(String)
    /// The window of execution ended.
    case stopped
}
