import FoundationEssentials
import HTTP2
import HTTPClient
import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(1))) struct EncryptionTests {
    @Test func `it speaks TLS with the certificate it was given`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(for: ["127.0.0.1"])
        let listener = try Listener.start(
            .loopback(), tls: ServerTLS(certificate: identity.certificatePEM, key: identity.privateKeyPEM)
        ) { .text("\($0.target)|\($0.body.count)") }
        let bundle = FileManager.default.temporaryDirectory.appending(path: "ca-\(listener.port).pem")
        try Data(authority.certificatePEM.utf8).write(to: bundle)
        var configuration = HTTPClient.Configuration()
        configuration.caFile = bundle.path()
        let client = HTTPClient.Client(configuration)
        let body = [UInt8](repeating: 7, count: 200_000)
        let answer = try await client.send(
            HTTPClient.Request("POST", "https://127.0.0.1:\(listener.port)/a?b", body: body))
        #expect(answer.text == "/a?b|200000")
        await client.close()
        await listener.stop()
        try FileManager.default.removeItem(at: bundle)
    }

    @Test func `an unreadable certificate is an error, not a server without one`() {
        #expect(throws: HTTPServerError.cannotStart) {
            try Listener.start(.loopback(), tls: ServerTLS(certificate: "nothing", key: "nothing")) { _ in .text("") }
        }
    }
}
