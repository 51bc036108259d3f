import COpenSSL

/// The two encodings of a P-256 signature.
public enum ECDSASignature {
    /// r‖s, 32 bytes each, big-endian (JSON Web Tokens, RFC 9421).
    case raw
    /// ASN.1 sequence of two integers (what Apple's and Android's key stores return).
    case der

    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { buffer -> [UInt8]? in
            var cursor = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &cursor, buffer.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: 64)
            let filled = raw.withUnsafeMutableBufferPointer { out in
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), out.baseAddress, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), out.baseAddress! + 32, 32) == 32
            }
            return filled ? raw : nil
        }
    }

    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let placed = raw.withUnsafeBufferPointer { buffer in
            ECDSA_SIG_set0(
                signature, BN_bin2bn(buffer.baseAddress, 32, nil), BN_bin2bn(buffer.baseAddress! + 32, 32, nil)) == 1
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        guard placed, case let length = i2d_ECDSA_SIG(signature, &encoded), length > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    }
}
