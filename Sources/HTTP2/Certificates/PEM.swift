import COpenSSL

/// PEM texts in and out of OpenSSL's memory BIOs.
enum PEM {
    /// What `write` puts into a memory BIO.
    static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return nil }
        let count = Int(BIO_ctrl_pending(bio))
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(count))))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Lets `read` take one or more objects from a BIO over `text`.
    static func withBIO<Result>(_ text: String, _ read: (OpaquePointer) -> Result) -> Result? {
        var text = text
        return text.withUTF8 { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            return read(bio)
        }
    }

    /// The certificates in `text`, in order. The caller frees them.
    static func certificates(_ text: String) -> [OpaquePointer] {
        let found = withBIO(text) { bio in
            var list: [OpaquePointer] = []
            while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) { list.append(certificate) }
            ERR_clear_error()  // the end of the text is an error to OpenSSL
            return list
        }
        return found ?? []
    }
}
