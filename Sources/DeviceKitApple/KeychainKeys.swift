#if canImport(UIKit)
    import Cryptography
    public import DeviceKit
    import Security
    import UIKit
    public import ReceiptOpening

    /// The device's secrets in the Keychain: readable from the first unlock after a restart on, so that a push works while the
    /// phone lies locked on the table, and never copied to another device.
    public struct KeychainKeys: KeyStore {
        private let service: String

        /// `service` tells the app's items apart, for example the bundle id with `.delivery` after it.
        public init(service: String) { self.service = service }

        public func requestSigner() async throws(KeyStoreError) -> any RequestSigner {
            let seed = try secret("request", orMake: { SigningKey.random().seed })
            guard let key = SigningKey(seed: seed) else { throw .failed("request key") }
            return Ed25519Signer(key: key)
        }

        public func agreementKey(id: String) async throws(KeyStoreError) -> AgreementKey? {
            try read("agreement.\(id)").flatMap { AgreementKey(id: id, secretKey: $0) }
        }

        public func currentAgreementKey() async throws(KeyStoreError) -> AgreementKey {
            let secret = try secret("agreement.a1", orMake: { RandomBytes.make(32) })
            guard let key = AgreementKey(id: "a1", secretKey: secret) else { throw .failed("agreement key") }
            return key
        }

        /// For an enrolment from scratch: a Keychain outlives the app's removal, the store does not.
        public func erase() throws(KeyStoreError) {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            ]
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw KeychainKeys.failure(status) }
        }

        private func secret(_ name: String, orMake make: () -> [UInt8]) throws(KeyStoreError) -> [UInt8] {
            if let bytes = try read(name) { return bytes }
            let bytes = make()
            let item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: name, kSecValueData as String: Data(bytes),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let status = SecItemAdd(item as CFDictionary, nil)
            if status == errSecDuplicateItem, let other = try read(name) { return other }
            guard status == errSecSuccess else { throw KeychainKeys.failure(status) }
            return bytes
        }

        private func read(_ name: String) throws(KeyStoreError) -> [UInt8]? {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: name, kSecReturnData as String: true,
            ]
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw KeychainKeys.failure(status) }
            return Array(data)
        }

        /// Before the first unlock the Keychain refuses interaction, which is no failed attempt.
        private static func failure(_ status: OSStatus) -> KeyStoreError {
            status == errSecInteractionNotAllowed ? .locked : .failed("Keychain status \(status)")
        }
    }
#endif
