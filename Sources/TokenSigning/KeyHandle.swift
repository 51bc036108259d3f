import COpenSSL

/// Owner of one `EVP_PKEY`. OpenSSL lets several threads sign and verify with one key at once, and nothing here
/// changes it after `init`.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let algorithm: Algorithm

    /// Takes over the reference, also when it throws.
    init(owning pointer: OpaquePointer) throws(TokenSigningError) {
        self.pointer = pointer
        switch EVP_PKEY_get_base_id(pointer) {
        case EVP_PKEY_EC where Self.groupName(pointer) == "prime256v1": algorithm = .es256
        case EVP_PKEY_RSA where EVP_PKEY_get_bits(pointer) >= 2048: algorithm = .rs256
        default:
            algorithm = .es256
            throw TokenSigningError("the key is neither P-256 nor RSA of at least 2048 bits")
        }
    }

    deinit { EVP_PKEY_free(pointer) }

    private static func groupName(_ pointer: OpaquePointer) -> String {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return "" }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Text in memory as OpenSSL's reader sees it, for the time of `body`.
func withReader<Result>(of bytes: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
    bytes.withUnsafeBytes { buffer in
        guard let reader = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
        defer { BIO_free(reader) }
        return body(reader)
    }
}

/// What `body` writes, as text.
func written(_ body: (OpaquePointer) -> Int32) -> String? {
    guard let writer = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(writer) }
    guard body(writer) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(writer))
    let count = BIO_read(writer, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
}
