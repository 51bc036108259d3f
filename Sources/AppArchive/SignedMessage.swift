import COpenSSL

/// A signed CMS message that carries its content, which is what a provisioning profile is.
public enum SignedMessage {
    /// The content, if one of the certificates inside signed it. Whose they are is the phone's to judge, which has
    /// Apple's root; this finds a profile that was edited by hand.
    public static func content(of message: [UInt8]) throws(ArchiveError) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let output = BIO_new(BIO_s_mem()) else { throw ArchiveError("out of memory") }
        defer { BIO_free(output) }
        let parsed = message.withUnsafeBytes { buffer -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer { BIO_free(input) }
            return d2i_CMS_bio(input, nil)
        }
        guard let parsed else { throw ArchiveError("not a CMS message") }
        defer { CMS_ContentInfo_free(parsed) }
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY) | UInt32(CMS_BINARY)
        guard CMS_verify(parsed, nil, nil, nil, output, flags) == 1 else {
            throw ArchiveError("its signature does not fit its content")
        }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        let count = bytes.isEmpty ? 0 : BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }
}
