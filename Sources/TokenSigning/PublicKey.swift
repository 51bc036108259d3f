import COpenSSL

/// A P-256 or RSA public key that verifies what `PrivateKey` or a phone's key store signed.
public struct PublicKey: Sendable {
    private let handle: KeyHandle

    public var algorithm: Algorithm { handle.algorithm }

    /// Reads a `PUBLIC KEY` PEM text.
    public init(pem: String) throws(TokenSigningError) {
        let pointer = withReader(of: Array(pem.utf8)) { PEM_read_bio_PUBKEY($0, nil, nil, nil) }
        guard let pointer else { throw .openSSL("not a public key in PEM form") }
        handle = try KeyHandle(owning: pointer)
    }

    /// Reads the DER form of `PUBLIC KEY` (SubjectPublicKeyInfo).
    public init(der: [UInt8]) throws(TokenSigningError) {
        let pointer = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            return d2i_PUBKEY(nil, &cursor, buffer.count)
        }
        guard let pointer else { throw .openSSL("not a public key in DER form") }
        handle = try KeyHandle(owning: pointer)
    }

    /// A point on P-256 as X9.63 writes it: 65 bytes (`04‖x‖y`) or 33 compressed. A point off the curve is refused.
    public init(p256Point point: [UInt8]) throws(TokenSigningError) {
        let prefix: [UInt8]
        switch (point.count, point.first) {
        case (65, 4): prefix = [0x30, 0x59] + Self.p256Prefix + [0x03, 0x42, 0x00]
        case (33, 2), (33, 3): prefix = [0x30, 0x39] + Self.p256Prefix + [0x03, 0x22, 0x00]
        default: throw TokenSigningError("not a point of P-256: \(point.count) bytes")
        }
        try self.init(der: prefix + point)
    }

    /// SubjectPublicKeyInfo's algorithm: id-ecPublicKey, prime256v1.
    private static let p256Prefix: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
        0x03, 0x01, 0x07,
    ]

    public var pem: String { written { PEM_write_bio_PUBKEY($0, handle.pointer) } ?? "" }

    /// The point as 65 bytes for P-256, else nil.
    public var p256Point: [UInt8]? {
        guard algorithm == .es256 else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(handle.pointer, &bytes)
        guard count >= 65, let bytes else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)).suffix(65))
    }

    /// Whether `signature` is this key's over SHA-256 of `bytes`. `encoding` matters for P-256 only.
    public func isValid(_ signature: [UInt8], for bytes: [UInt8], encoding: ECDSASignature = .raw) -> Bool {
        var encoded = signature
        if algorithm == .es256, encoding == .raw {
            guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
            encoded = der
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1
            && EVP_DigestVerify(context, encoded, encoded.count, bytes, bytes.count) == 1
    }
}
