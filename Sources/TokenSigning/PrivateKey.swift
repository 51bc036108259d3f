import COpenSSL

/// A P-256 or RSA private key that signs provider tokens.
public struct PrivateKey: Sendable {
    private let handle: KeyHandle

    public var algorithm: Algorithm { handle.algorithm }

    /// Reads a PEM text: Apple's `.p8`, the `private_key` of a service account, or what `pem` wrote. An encrypted one
    /// is refused.
    public init(pem: String) throws(TokenSigningError) {
        let pointer = withReader(of: Array(pem.utf8)) { reader in
            // Without a callback OpenSSL would ask for a pass phrase on the terminal.
            PEM_read_bio_PrivateKey(reader, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let pointer else { throw .openSSL("not a private key in PEM form") }
        handle = try KeyHandle(owning: pointer)
    }

    private init(handle: KeyHandle) { self.handle = handle }

    /// A new key, for tests and the lab.
    public static func generate(_ algorithm: Algorithm) throws(TokenSigningError) -> PrivateKey {
        let kind = algorithm == .es256 ? EVP_PKEY_EC : EVP_PKEY_RSA
        guard let context = EVP_PKEY_CTX_new_id(kind, nil) else { throw .openSSL("no key generator") }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            algorithm == .es256
                ? EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1
                : EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            EVP_PKEY_keygen(context, &pointer) == 1, let pointer
        else { throw .openSSL("no key was generated") }
        return PrivateKey(handle: try KeyHandle(owning: pointer))
    }

    /// PKCS#8 in PEM form, unencrypted.
    public var pem: String {
        written { PEM_write_bio_PKCS8PrivateKey($0, handle.pointer, nil, nil, 0, nil, nil) } ?? ""
    }

    public var publicKey: PublicKey {
        get throws(TokenSigningError) {
            let text = written { PEM_write_bio_PUBKEY($0, handle.pointer) } ?? ""
            return try PublicKey(pem: text)
        }
    }

    /// r‖s for P-256, PKCS#1 v1.5 for RSA.
    public func sign(_ bytes: [UInt8]) throws(TokenSigningError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .openSSL("no digest context") }
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1,
            EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1
        else { throw .openSSL("signing failed") }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else {
            throw .openSSL("signing failed")
        }
        signature.removeLast(signature.count - length)
        guard algorithm == .es256 else { return signature }
        guard let raw = ECDSASignature.raw(fromDER: signature) else { throw .openSSL("signing failed") }
        return raw
    }
}
