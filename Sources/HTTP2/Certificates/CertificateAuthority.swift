import COpenSSL

/// Makes certificates for servers of tests and of the lab: a fresh P-256 authority that lives for as long as this value
/// and whose clients believe it through `certificatePEM`. Not for production.
public final class CertificateAuthority: Sendable {
    /// What clients are told to trust.
    public let certificatePEM: String
    private let privateKeyPEM: String

    /// `name` is the authority's common name.
    public init(name: String = "Mobile Delivery test authority") throws(HTTP2Error) {
        guard let key = copenssl_new_p256_key() else { throw HTTP2Error("no key for a test authority") }
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw HTTP2Error("no certificate for a test authority") }
        defer { X509_free(certificate) }
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0)
        let made =
            Self.fill(certificate, issuer: subject, publicKey: key, days: 3650)
            && copenssl_add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") == 1
            && copenssl_add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") == 1
            && copenssl_add_extension(certificate, certificate, NID_subject_key_identifier, "hash") == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
        guard made, let pem = PEM.text({ PEM_write_bio_X509($0, certificate) }),
            let keyPEM = PEM.text({ PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
        else { throw HTTP2Error("test authority: \(openSSLReason("unknown"))") }
        certificatePEM = pem
        privateKeyPEM = keyPEM
    }

    /// A certificate for these names and addresses (`localhost`, `127.0.0.1`, `::1`), valid from an hour ago.
    public func issue(for hosts: [String] = ["localhost", "127.0.0.1", "::1"], days: Int = 365) throws(HTTP2Error)
        -> Identity
    {
        let authorities = PEM.certificates(certificatePEM)
        defer { authorities.forEach { X509_free($0) } }
        let authorityKey = PEM.withBIO(privateKeyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) } ?? nil
        guard let authority = authorities.first, let authorityKey else { throw HTTP2Error("test authority unreadable") }
        defer { EVP_PKEY_free(authorityKey) }
        guard let key = copenssl_new_p256_key() else { throw HTTP2Error("no key for \(hosts)") }
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw HTTP2Error("no certificate for \(hosts)") }
        defer { X509_free(certificate) }
        X509_NAME_add_entry_by_txt(
            X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, hosts.first ?? "nobody", -1, -1, 0)
        let names = hosts.map { Self.isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.joined(separator: ",")
        let made =
            Self.fill(certificate, issuer: X509_get_subject_name(authority), publicKey: key, days: days)
            && copenssl_add_extension(certificate, authority, NID_basic_constraints, "critical,CA:FALSE") == 1
            && copenssl_add_extension(certificate, authority, NID_ext_key_usage, "serverAuth") == 1
            && copenssl_add_extension(certificate, authority, NID_subject_alt_name, names) == 1
            && copenssl_add_extension(certificate, authority, NID_authority_key_identifier, "keyid") == 1
            && X509_sign(certificate, authorityKey, EVP_sha256()) > 0
        guard made, let pem = PEM.text({ PEM_write_bio_X509($0, certificate) }),
            let keyPEM = PEM.text({ PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
        else { throw HTTP2Error("certificate for \(hosts): \(openSSLReason("unknown"))") }
        return Identity(certificatePEM: pem, privateKeyPEM: keyPEM)
    }

    private static func fill(_ certificate: OpaquePointer, issuer: OpaquePointer?, publicKey: OpaquePointer, days: Int)
        -> Bool
    {
        X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), .random(in: 1...(1 << 62))) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400) != nil
            && X509_set_issuer_name(certificate, issuer) == 1 && X509_set_pubkey(certificate, publicKey) == 1
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }
}
