import Glibc
import HTTP2
import HTTPClient
import Testing
import TokenSigning

@testable import ProviderSimulator

/// The whole simulator over its sockets.
@Suite(.timeLimit(.minutes(4)))
struct SimulatedProvidersTests {
    /// A running simulator, clients that trust it, and requests signed for the machine's clock.
    private struct Rig {
        let providers: SimulatedProviders
        let apns: HTTP2.Client
        let fcm: HTTP2.Client
        let control: HTTPClient.Client
        let authorityPEM: String

        static func start(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) async throws -> Rig {
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
            return Rig(
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

    @Test func `a hint for APNs is journalled byte for byte and reaches the phone`() async throws {
        let rig = try await Rig.start()
        guard case .answer(let response) = try await rig.push() else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == 200)
        #expect(response.headers["apns-id"] == "6f9619ff-8b86-4011-b42d-00c04fc964ff")
        let entry = try #require(try await rig.lines("/journal?after=0").first)
        #expect(entry["path"]?.string == "/3/device/\(Bench.apnsToken)")
        #expect(entry["body"]?.string == #"{"aps":{"alert":"x"},"jobId":"j"}"#)
        #expect(
            entry["fields"]?.array?.compactMap { $0.array?.first?.string } == [
                ":method", ":scheme", ":authority", ":path", "authorization", "apns-topic", "apns-push-type", "apns-id",
            ])
        let delivery = try #require(try await rig.lines("/deliveries?after=0&waitSeconds=45").first)
        #expect(delivery["token"]?.string == Bench.apnsToken)
        #expect(delivery["payload"]?["jobId"]?.string == "j")
        await rig.stop()
    }

    @Test func `FCM and the token endpoint answer over HTTP 2 and HTTP 1`() async throws {
        let rig = try await Rig.start()
        let authority = try ScratchFile(rig.authorityPEM)
        let now = WallClock.now / 1000
        for version in [HTTPClient.Configuration.Version.http1, .negotiated] {
            var configuration = HTTPClient.Configuration(caFile: authority.path)
            configuration.version = version
            let client = HTTPClient.Client(configuration)
            let assertion = try Bench.assertion(audience: rig.providers.addresses.oauth, issuedAt: now)
            let granted = try await client.send(
                HTTPClient.Request(
                    "POST", rig.providers.addresses.oauth,
                    body: Array("grant_type=\(AccessTokens.grantType)&assertion=\(assertion)".utf8)))
            let access = try #require(JSONValue(parsing: granted.body)?["access_token"]?.string)
            let sent = try await client.send(
                HTTPClient.Request(
                    "POST", "\(rig.providers.addresses.fcm)/v1/projects/\(Bench.project)/messages:send",
                    headers: [HTTPClient.Header("Authorization", "Bearer \(access)")], body: Array(Bench.hint.utf8)))
            #expect(sent.status == 200)
            #expect(sent.version == (version == .http1 ? "1.1" : "2"))
            await client.close()
        }
        let versions = rig.providers.journal().map(\.request.version)
        #expect(versions == ["http/1.1", "http/1.1", "h2", "h2"])
        #expect(try await rig.lines("/deliveries?waitSeconds=45").count == 2)
        await rig.stop()
    }

    @Test func `what a phone missed it gets when it comes back`() async throws {
        let rig = try await Rig.start()
        let path = "/devices/\(Bench.apnsToken)"
        #expect(try await rig.control("POST", path, #"{"online":false}"#).status == 200)
        #expect(try await rig.push().answeredStatus == 200)
        #expect(try await rig.push().answeredStatus == 200)
        #expect(try await rig.lines("/deliveries").isEmpty)
        #expect(try await rig.control("POST", path, #"{"online":true}"#).status == 200)
        #expect(try await rig.lines("/deliveries?waitSeconds=45").count == 1)
        await rig.stop()
    }

    @Test func `a removed app answers 410 with the time`() async throws {
        let rig = try await Rig.start()
        #expect(try await rig.control("DELETE", "/devices/\(Bench.apnsToken)?timestamp=1234").status == 204)
        guard case .answer(let response) = try await rig.push() else {
            Issue.record("no answer")
            return
        }
        #expect(JSONValue(parsing: response.body) == ["reason": "Unregistered", "timestamp": 1234])
        #expect(
            try await rig.control(
                "POST", "/devices/\(Bench.apnsToken)",
                #"{"provider":"apns","app":"\#(Bench.topic)","environment":"production"}"#
            ).status == 200)
        #expect(try await rig.push().answeredStatus == 200)
        await rig.stop()
    }

    @Test(arguments: [
        (#"{"hang":true}"#, RequestResult.ambiguous(.timeout)),
        (#"{"silence":true}"#, .ambiguous(.timeout)),
        (#"{"refuse":true}"#, .unprocessed(.refusedStream)),
        (#"{"reset":"INTERNAL_ERROR"}"#, .ambiguous(.reset(.internalError, status: nil))),
        (#"{"reset":"CANCEL","afterHeaders":true}"#, .ambiguous(.reset(.cancel, status: 200))),
        (#"{"disconnect":true}"#, .ambiguous(.connectionLost("closed by the peer"))),
        (
            #"{"goAway":{"lastStream":"before","reason":"Shutdown"}}"#,
            .unprocessed(.goAway(GoAway(lastStream: 1, code: .noError, debug: #"{"reason":"Shutdown"}"#)))
        ),
    ])
    func `a scripted fault has its one result`(action: String, expected: RequestResult) async throws {
        let rig = try await Rig.start()
        #expect(try await rig.push().answeredStatus == 200)
        try await rig.play(#"{"rules":[{"times":1,"do":\#(action)}]}"#)
        let within = expected == .ambiguous(.timeout) ? Duration.seconds(2) : .seconds(45)
        let result = try await rig.push(within: within)
        // Closed or reset: the kernel's choice, by whether the server had read everything.
        let bothLost =
            if case (.ambiguous(.connectionLost), .ambiguous(.connectionLost)) = (result, expected) { true } else {
                false
            }
        #expect(bothLost || result == expected)
        // Whatever it was, the next one finds its way.
        #expect(try await rig.push().answeredStatus == 200)
        await rig.stop()
    }

    @Test func `GOAWAY after an answer costs nothing`() async throws {
        let rig = try await Rig.start()
        try await rig.play(#"{"rules":[{"do":{"goAway":{"lastStream":"this","reason":"Shutdown"}}}]}"#)
        for _ in 0..<5 { #expect(try await rig.push().answeredStatus == 200) }
        await rig.stop()
    }

    @Test func `streams start at one and grow with the first accepted token`() async throws {
        let rig = try await Rig.start { $0.apnsStreams = 7 }
        #expect(try await rig.push().answeredStatus == 200)
        while await rig.apns.statistics().streamsAllowed != 7 { await Task.yield() }
        try await rig.play(#"{"rules":[{"times":1,"do":{"streams":1}}]}"#)
        #expect(try await rig.push().answeredStatus == 200)
        while await rig.apns.statistics().streamsAllowed != 1 { await Task.yield() }
        await rig.stop()
    }

    @Test func `all connections of a service can be told goodbye at once`() async throws {
        let rig = try await Rig.start()
        #expect(try await rig.push().answeredStatus == 200)
        let answer = try await rig.control(
            "POST", "/connections", #"{"provider":"apns","do":"goAway","reason":"Shutdown"}"#)
        #expect(answer.status == 204)
        while await rig.apns.statistics().goAways.isEmpty { await Task.yield() }
        #expect(await rig.apns.statistics().goAways == ["Shutdown": 1])
        #expect(try await rig.push().answeredStatus == 200)
        await rig.stop()
    }

    @Test(arguments: [
        ("GET", "/nothing", "", 404), ("POST", "/script", "{", 400), ("POST", "/devices/x", "{}", 400),
        ("GET", "/devices/x", "", 404), ("DELETE", "/devices/x", "", 404), ("POST", "/connections", "{}", 400),
        ("GET", "/healthz", "", 200), ("DELETE", "/script", "", 204),
    ])
    func `the control port says what is wrong`(method: String, path: String, body: String, status: Int) async throws {
        let rig = try await Rig.start()
        #expect(try await rig.control(method, path, body).status == status)
        await rig.stop()
    }
}

extension RequestResult {
    fileprivate var answeredStatus: Int? { if case .answer(let response) = self { response.status } else { nil } }
}
