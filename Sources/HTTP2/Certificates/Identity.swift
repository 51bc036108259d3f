/// What a TLS server shows and proves: its certificate chain, leaf first, and the leaf's private key, both PEM.
public struct Identity: Hashable, Sendable {
    public var certificatePEM: String
    public var privateKeyPEM: String

    public init(certificatePEM: String, privateKeyPEM: String) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }
}
