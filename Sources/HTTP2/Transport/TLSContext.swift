import COpenSSL

/// What all TLS connections of one client or one server share: certificates, versions, protocol names.
///
/// OpenSSL counts references to an `SSL_CTX` and lets any thread make connections from it once it is set up.
final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer

    private init(_ method: OpaquePointer?) throws(HTTP2Error) {
        guard let handle = SSL_CTX_new(method) else { throw HTTP2Error("TLS: \(openSSLReason("no context"))") }
        self.handle = handle
        _ = copenssl_require_tls12(handle)
        _ = copenssl_set_mode(handle)
    }

    deinit { SSL_CTX_free(handle) }

    /// For a client: verifies the chain, offers nothing but HTTP/2.
    convenience init(trust: Trust) throws(HTTP2Error) {
        try self.init(TLS_client_method())
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        let offered: [UInt8] = [2, 0x68, 0x32]
        _ = SSL_CTX_set_alpn_protos(handle, offered, UInt32(offered.count))
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw HTTP2Error("certificate authorities of the system: \(openSSLReason("unreadable"))")
            }
        case .file(let path):
            guard SSL_CTX_load_verify_file(handle, path) == 1 else {
                throw HTTP2Error("certificate authorities in \(path): \(openSSLReason("unreadable"))")
            }
        case .pem(let text):
            let certificates = PEM.certificates(text)
            defer { certificates.forEach { X509_free($0) } }
            guard !certificates.isEmpty else { throw HTTP2Error("no certificate authority in the PEM text") }
            for certificate in certificates { X509_STORE_add_cert(SSL_CTX_get_cert_store(handle), certificate) }
        }
    }

    /// For a server: shows `identity`, prefers HTTP/2 and, if told so, also takes clients that only speak HTTP/1.1.
    convenience init(identity: Identity, http1: Bool) throws(HTTP2Error) {
        try self.init(TLS_server_method())
        let chain = PEM.certificates(identity.certificatePEM)
        defer { chain.forEach { X509_free($0) } }
        let key = PEM.withBIO(identity.privateKeyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) } ?? nil
        defer { EVP_PKEY_free(key) }
        guard let leaf = chain.first, let key, SSL_CTX_use_certificate(handle, leaf) == 1,
            SSL_CTX_use_PrivateKey(handle, key) == 1
        else { throw HTTP2Error("certificate or key of the server: \(openSSLReason("not PEM"))") }
        for certificate in chain.dropFirst() { _ = copenssl_add_chain_certificate(handle, certificate) }
        if http1 {
            SSL_CTX_set_alpn_select_cb(
                handle,
                { _, chosen, length, offered, count, _ in selectProtocol(chosen, length, offered, count, http1: true) },
                nil)
        } else {
            SSL_CTX_set_alpn_select_cb(
                handle,
                { _, chosen, length, offered, count, _ in selectProtocol(chosen, length, offered, count, http1: false)
                }, nil)
        }
    }
}

extension TLSContext {
    /// OpenSSL's callback signature without the two pointers that nobody needs.
    private static func offers(_ offered: UnsafeBufferPointer<UInt8>, _ name: StaticString) -> Int? {
        var index = 0
        while index < offered.count {
            let length = Int(offered[index])
            guard index + 1 + length <= offered.count else { return nil }
            let candidate = offered[(index + 1)..<(index + 1 + length)]
            if name.withUTF8Buffer({ candidate.elementsEqual($0) }) { return index + 1 }
            index += 1 + length
        }
        return nil
    }

    fileprivate static func select(_ offered: UnsafeBufferPointer<UInt8>, http1: Bool) -> Range<Int>? {
        if let found = offers(offered, "h2") { return found..<(found + 2) }
        if http1, let found = offers(offered, "http/1.1") { return found..<(found + 8) }
        return nil
    }
}

private func selectProtocol(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ chosenLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32, http1: Bool
) -> Int32 {
    let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
    guard let range = TLSContext.select(list, http1: http1), let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    chosen?.pointee = offered + range.lowerBound
    chosenLength?.pointee = UInt8(range.count)
    return SSL_TLSEXT_ERR_OK
}
