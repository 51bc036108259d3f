import Glibc
import HTTP2
import HTTPClient
import Testing
import TokenSigning

@testable import ProviderSimulator

/// A running simulator, clients that trust it, and requests signed for the machine's clock.
struct SimulatorRig {
    let providers: SimulatedProviders
    let apns: HTTP2.Client
    let fcm: HTTP2.Client
    let control: HTTPClient.Client
    let authorityPEM: String

    static func start(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) async throws -> SimulatorRig {
        let authority = try CertificateAuthority()
        var configuration = SimulatorConfiguration(identity: try authority.issue())
        configuration.apnsKeys = [
            APNSKey(teamID: Bench.teamID, keyID: Bench.keyID, publicKey: try Bench.apnsKey.get().publicKey)
        ]
        configuration.fcmProjects = [
            FCMProject(
                projectID: Bench.project, clientEmail: Bench.email,
                publicKey: try Bench.accountKey.get().publicKey)
        ]
        configuration.devices = [
            Device(token: Bench.apnsToken, provider: "apns", app: Bench.topic, environment: "production"),
            Device(token: Bench.fcmToken, provider: "fcm", app: Bench.project),
        ]
        change(&configuration)
        let providers = try await SimulatedProviders.start(configuration)
        func client(_ url: String, _ settings: ClientSettings) throws -> HTTP2.Client {
            var settings = settings
            // Tests run on machines that are busy with other tests.
            settings.connectTimeout = .seconds(40)
            settings.trust = .pem(authority.certificatePEM)
            return try HTTP2.Client(origin: try #require(Origin(url: url)), settings: settings)
        }
        return SimulatorRig(
            providers: providers, apns: try client(providers.addresses.apnsProduction, .apns),
            fcm: try client(providers.addresses.fcm, .fcm), control: HTTPClient.Client(),
            authorityPEM: authority.certificatePEM)
    }

    func stop() async {
        await apns.close()
        await fcm.close()
        await control.close()
        await providers.stop()
    }

    func push(_ token: String = Bench.apnsToken, within: Duration = .seconds(45)) async throws -> RequestResult {
        let issued = WallClock.now / 1000 / 3000 * 3000
        let authorization = try Bench.sharedToken(issuedAt: issued)
        let request = HTTP2.Request(
            path: "/3/device/\(token)",
            headers: [
                "authorization": "bearer \(authorization)", "apns-topic": Bench.topic, "apns-push-type": "alert",
                "apns-id": "6f9619ff-8b86-4011-b42d-00c04fc964ff",
            ], body: Array(#"{"aps":{"alert":"x"},"jobId":"j"}"#.utf8))
        return await apns.send(request, deadline: .now + within)
    }

    func control(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPClient.Response {
        try await control.send(
            HTTPClient.Request(
                method, providers.addresses.control + path, body: Array(body.utf8), timeout: .seconds(60)))
    }

    func lines(_ path: String) async throws -> [JSONValue] {
        try await control("GET", path).text.split(separator: "\n").compactMap { JSONValue(parsing: String($0)) }
    }

    func play(_ script: String) async throws {
        let answer = try await control("POST", "/script", script)
        #expect(answer.status == 200, "\(answer.text)")
    }
}

extension RequestResult {
    var answeredStatus: Int? { if case .answer(let response) = self { response.status } else { nil } }
}
