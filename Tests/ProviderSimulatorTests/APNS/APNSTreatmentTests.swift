import HTTP2
import Testing
import TokenSigning

@testable import ProviderSimulator

struct APNSTreatmentTests {
    private func reason(_ request: ProviderRequest, _ prepare: (inout Bench) throws -> Void = { _ in }) throws
        -> String?
    {
        var bench = try Bench()
        try prepare(&bench)
        let treatment = bench.treat(request)
        if let reason = treatment.answer.reason {
            // Status, body and word always belong together.
            #expect(treatment.answer.status == APNSReason(rawValue: reason)?.status)
            #expect(treatment.answer.json["reason"]?.string == reason)
            #expect(treatment.outgoing.isEmpty)
        }
        return treatment.answer.reason
    }

    @Test func `a good hint is accepted, delivered and answered with its id`() throws {
        var bench = try Bench()
        let treatment = bench.treat(try Bench.apns())
        #expect(treatment.answer.status == 200)
        #expect(treatment.answer.body.isEmpty)
        #expect(treatment.answer.headers["apns-id"] == "6f9619ff-8b86-4011-b42d-00c04fc964ff")
        #expect(treatment.outgoing.map(\.message?.payload) == [Array(#"{"aps":{"alert":"x"}}"#.utf8)])
    }

    @Test func `an id is made up where none is given`() throws {
        var bench = try Bench()
        let id = try #require(bench.treat(try Bench.apns(["apns-id": nil])).answer.headers["apns-id"])
        #expect(APNSCheck.isCanonicalUUID(Array(id.utf8)[...]))
    }

    @Test(
        arguments: [
            ("apns-topic", nil, "MissingTopic"), ("apns-topic", "com example", "BadTopic"),
            ("apns-topic", "com.example.foreign", "TopicDisallowed"),
            ("apns-topic", "com.example.other", "DeviceTokenNotForTopic"),
            ("apns-id", "6F9619FF8B864011B42D00C04FC964FF", "BadMessageId"),
            ("apns-expiration", "soon", "BadExpirationDate"),
            ("apns-expiration", "-1", "BadExpirationDate"), ("apns-priority", "7", "BadPriority"),
            ("apns-priority", "high", "BadPriority"), ("apns-push-type", "loud", "InvalidPushType"),
            ("apns-push-type", "background", "BadPriority"),
            ("apns-collapse-id", String(repeating: "c", count: 65), "BadCollapseId"),
            ("apns-collapse-id", "", "BadCollapseId"),
            ("authorization", nil, "MissingProviderToken"), ("authorization", "Basic x", "MissingProviderToken"),
            ("authorization", "bearer x", "InvalidProviderToken"),
        ] as [(String, String?, String)])
    func `a wrong header is refused in Apple's words`(name: String, value: String?, expected: String) throws {
        #expect(try reason(try Bench.apns([name: value])) == expected)
    }

    @Test func `a header that comes twice is refused`() throws {
        var request = try Bench.apns()
        request.fields.append("apns-topic", Bench.topic)
        #expect(try reason(request) == "DuplicateHeaders")
    }

    @Test(arguments: [
        ("POST", "/3/device/", "MissingDeviceToken"), ("POST", "/3/device", "MissingDeviceToken"),
        ("POST", "/2/device/abcd", "BadPath"), ("POST", "/3/device/ab/cd", "BadPath"), ("GET", "/", "MethodNotAllowed"),
    ])
    func `a wrong path or method is refused`(method: String, path: String, expected: String) throws {
        #expect(try reason(try Bench.apns(path: path, method: method)) == expected)
    }

    @Test(arguments: [
        ("", "PayloadEmpty"), ("{", "PayloadEmpty"), ("[]", "PayloadEmpty"),
        (#"{"aps":{"alert":"\#(String(repeating: "x", count: 4096))"}}"#, "PayloadTooLarge"),
    ])
    func `a wrong payload is refused`(body: String, expected: String) throws {
        #expect(try reason(try Bench.apns(body: body)) == expected)
    }

    @Test func `4096 bytes are not too many`() throws {
        let frame = #"{"aps":{"alert":""}}"#
        let body = #"{"aps":{"alert":"\#(String(repeating: "x", count: 4096 - frame.utf8.count))"}}"#
        #expect(try reason(try Bench.apns(body: body)) == nil)
    }

    @Test(arguments: [
        (String(repeating: "cd", count: 32), "production"), ("xyz", "production"), (Bench.apnsToken, "sandbox"),
    ])
    func `a token that is unknown here is bad`(token: String, environment: String) throws {
        #expect(try reason(try Bench.apns(token: token, environment: environment)) == "BadDeviceToken")
    }

    @Test(arguments: [(Device.State.unregistered(17), "Unregistered"), (.expired(17), "ExpiredToken")])
    func `a token that is gone says since when`(state: Device.State, expected: String) throws {
        var bench = try Bench()
        bench.world.devices.setState(Bench.apnsToken, state)
        let answer = bench.treat(try Bench.apns()).answer
        #expect(answer.status == 410)
        #expect(answer.json == ["reason": .string(expected), "timestamp": 17])
    }

    @Test(arguments: [
        ("background", "5", #"{"aps":{"content-available":1,"alert":"x"}}"#),
        ("background", "5", #"{"aps":{}}"#), ("alert", "10", #"{"aps":{"content-available":1}}"#),
        ("alert", "10", #"{"hint":1}"#),
    ])
    func `what iOS would never show is accepted and reaches nobody`(type: String, priority: String, body: String) throws
    {
        var bench = try Bench()
        let treatment = bench.treat(try Bench.apns(["apns-push-type": type, "apns-priority": priority], body: body))
        #expect(treatment.answer.status == 200)
        #expect(treatment.outgoing.isEmpty)
    }

    // MARK: Provider tokens

    @Test func `a token an hour old has expired`() throws {
        #expect(try reason(try Bench.apns()) { $0.now += 3600 } == nil)
        #expect(try reason(try Bench.apns()) { $0.now += 3601 } == "ExpiredProviderToken")
    }

    @Test(arguments: ["team", "key", "signer", "future"])
    func `a token that nobody of ours made is invalid`(fault: String) throws {
        let token =
            switch fault {
            case "team": try Bench.providerToken(team: "TEAM000002")
            case "key": try Bench.providerToken(key: "KEY0000002")
            case "signer": try Bench.providerToken(with: try PrivateKey.generate(.es256))
            default: try Bench.providerToken(issuedAt: Bench.start + 3600)
            }
        #expect(try reason(try Bench.apns(["authorization": "bearer \(token)"])) == "InvalidProviderToken")
    }

    @Test func `another token on the same connection within 20 minutes is one too many`() throws {
        var bench = try Bench()
        #expect(bench.treat(try Bench.apns()).answer.isAccepted)
        let newer = try Bench.apns(["authorization": "bearer \(try Bench.providerToken(issuedAt: Bench.start + 60))"])
        bench.now += 60
        #expect(bench.treat(newer).answer.reason == "TooManyProviderTokenUpdates")
        bench.now += 1140
        #expect(bench.treat(newer).answer.isAccepted)
        #expect(bench.treat(try Bench.apns(connection: 2)).answer.isAccepted)
    }

    @Test func `a connection is for one key`() throws {
        let other = try PrivateKey.generate(.es256)
        let publicKey = try other.publicKey
        var bench = try Bench {
            $0.apnsKeys.append(APNSKey(teamID: Bench.teamID, keyID: "KEY0000009", publicKey: publicKey))
        }
        #expect(bench.treat(try Bench.apns()).answer.isAccepted)
        let token = try Bench.providerToken(key: "KEY0000009", with: other)
        let request = try Bench.apns(["authorization": "bearer \(token)"])
        #expect(bench.treat(request).answer.reason == "UnrelatedKeyIdInToken")
        var elsewhere = request
        elsewhere.received.connection = 2
        #expect(bench.treat(elsewhere).answer.isAccepted)
    }

    @Test func `a key of the other environment is refused as the wire spells it`() throws {
        var bench = try Bench { $0.apnsKeys[0].environments = ["sandbox"] }
        #expect(bench.treat(try Bench.apns()).answer.reason == "BadEnvironmentKeyInToken")
    }

    @Test func `a connection opens for many streams with its first accepted token`() throws {
        var bench = try Bench()
        #expect(!bench.treat(try Bench.apns(["authorization": nil])).opensStreams)
        #expect(bench.treat(try Bench.apns()).opensStreams)
        #expect(!bench.treat(try Bench.apns()).opensStreams)
    }

    @Test(arguments: APNSReason.allCases) func `every row of Apple's table can be scripted`(row: APNSReason) throws {
        var bench = try Bench()
        bench.world.script = try Script(
            parsing: Array(#"{"rules":[{"do":{"answer":"\#(row.rawValue)","delayMilliseconds":3}}]}"#.utf8))
        let treatment = bench.treat(try Bench.apns())
        #expect(treatment.answer.status == row.status)
        #expect(treatment.answer.json["reason"]?.string == row.rawValue)
        #expect((treatment.answer.json["timestamp"] != nil) == (row.status == 410))
        #expect(treatment.outgoing.isEmpty)
        #expect(treatment.delayMilliseconds == 3)
    }
}
