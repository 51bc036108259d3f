import HTTP2
import Testing

struct CertificateAuthorityTests {
    @Test func `an authority issues a chain that is PEM on both sides`() throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(for: ["localhost", "127.0.0.1"])
        #expect(authority.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(identity.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(identity.privateKeyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(identity.certificatePEM != authority.certificatePEM)
    }

    @Test func `two authorities have nothing in common`() throws {
        #expect(try CertificateAuthority().certificatePEM != CertificateAuthority().certificatePEM)
    }
}
