/// PEM texts of a certificate chain and its key.
public struct ServerTLS: Sendable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
