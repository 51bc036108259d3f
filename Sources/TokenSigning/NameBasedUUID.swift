import COpenSSL

/// The version-5 UUID (RFC 9562, SHA-1) of a name within a namespace, as 16 bytes. The same two give the same UUID.
public func nameBasedUUID(namespace: [UInt8], name: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    let input = namespace + name
    guard EVP_Digest(input, input.count, &digest, nil, EVP_sha1(), nil) == 1 else {
        preconditionFailure("OpenSSL has no SHA-1")
    }
    digest[6] = digest[6] & 0x0f | 0x50
    digest[8] = digest[8] & 0x3f | 0x80
    return Array(digest.prefix(16))
}
