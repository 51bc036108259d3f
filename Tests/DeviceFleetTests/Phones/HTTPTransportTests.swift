import DeviceFleet
import DeviceKit
import HTTPClient
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPTransportTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "127.0.0.1:8080"), ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("https://Gateway.Example", "gateway.example"), ("https://gateway.example:443", "gateway.example"),
        ("http://gateway.example:443", "gateway.example:443"), ("http://gateway.example:80/", "gateway.example"),
    ])
    func `the signed authority is what goes into the Host header`(gateway: String, authority: String) {
        #expect(HTTPTransport(gateway: gateway, client: Client())?.authority == authority)
    }

    @Test(arguments: [
        "", "gateway", "ftp://x", "http://", "http://x/path", "http://x?q", "http://user@x", "http://x y",
    ])
    func `other addresses are refused`(gateway: String) {
        #expect(HTTPTransport(gateway: gateway, client: Client()) == nil)
    }

    @Test func `a gateway that is not there counts as offline`() async throws {
        let client = Client()
        let transport = try #require(HTTPTransport(gateway: "http://127.0.0.1:1", client: client))
        await #expect(throws: TransportError.offline) {
            try await transport.send(TransportRequest(method: "GET", path: "/v1/sync"))
        }
        await client.close()
    }
}
