import Glibc
import HTTP2
import HTTPClient
import TestSupport
import Testing
import TokenSigning

@testable import ProviderSimulator

/// The whole simulator over its sockets.
@Suite(.timeLimit(.minutes(4)))
struct SimulatedProvidersTests {
    @Test func `a hint for APNs is journalled byte for byte and reaches the phone`() async throws {
        let rig = try await SimulatorRig.start()
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
        let rig = try await SimulatorRig.start()
        let authority = ScratchFile(rig.authorityPEM)
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
        #expect(versions == [.http1, .http1, .http2, .http2])
        #expect(try await rig.lines("/deliveries?waitSeconds=45").count == 2)
        await rig.stop()
    }

    @Test func `what a phone missed it gets when it comes back`() async throws {
        let rig = try await SimulatorRig.start()
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
        let rig = try await SimulatorRig.start()
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
        let rig = try await SimulatorRig.start()
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
        let rig = try await SimulatorRig.start()
        try await rig.play(#"{"rules":[{"do":{"goAway":{"lastStream":"this","reason":"Shutdown"}}}]}"#)
        for _ in 0..<5 { #expect(try await rig.push().answeredStatus == 200) }
        await rig.stop()
    }

    @Test func `after a GOAWAY with the newest stream nothing was accepted that counts as unprocessed`() async throws {
        let rig = try await SimulatorRig.start()
        #expect(try await rig.push().answeredStatus == 200)
        try await rig.play(#"{"rules":[{"after":50,"times":1,"do":{"goAway":{"lastStream":"newest"}}}]}"#)
        let answered = try await withThrowingTaskGroup { group in
            for _ in 0..<300 { group.addTask { try await rig.push().answeredStatus == 200 } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        let accepted = rig.providers.journal().count { $0.status == 200 } - 1
        #expect(accepted == answered)
        await rig.stop()
    }

    @Test func `streams start at one and grow with the first accepted token`() async throws {
        let rig = try await SimulatorRig.start { $0.apnsStreams = 7 }
        #expect(try await rig.push().answeredStatus == 200)
        while await rig.apns.statistics().streamsAllowed != 7 { await Task.yield() }
        try await rig.play(#"{"rules":[{"times":1,"do":{"streams":1}}]}"#)
        #expect(try await rig.push().answeredStatus == 200)
        while await rig.apns.statistics().streamsAllowed != 1 { await Task.yield() }
        await rig.stop()
    }

    @Test func `all connections of a service can be told goodbye at once`() async throws {
        let rig = try await SimulatorRig.start()
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
        let rig = try await SimulatorRig.start()
        #expect(try await rig.control(method, path, body).status == status)
        await rig.stop()
    }
}
