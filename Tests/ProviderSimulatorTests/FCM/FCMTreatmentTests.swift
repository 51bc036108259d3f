import HTTP2
import Testing
import TokenSigning

@testable import ProviderSimulator

struct FCMTreatmentTests {
    private func answer(_ body: String, prepare: (inout Bench) -> Void = { _ in }) throws -> ProviderAnswer {
        var bench = try Bench()
        let access = try bench.accessToken()
        prepare(&bench)
        return bench.treat(Bench.fcm(body, access: access)).answer
    }

    private func message(_ parts: String) -> String { #"{"message":{"token":"\#(Bench.fcmToken)",\#(parts)}}"# }

    private func code(_ answer: ProviderAnswer) -> String? {
        answer.json["error"]?["details"]?.array?.lazy.compactMap { $0["errorCode"]?.string }.first
    }

    private func violation(_ answer: ProviderAnswer) -> String? {
        answer.json["error"]?["details"]?.array?.lazy
            .compactMap { $0["fieldViolations"]?.array?.first?["field"]?.string }.first
    }

    @Test func `a good hint is accepted, delivered and named`() throws {
        var bench = try Bench()
        let access = try bench.accessToken()
        let treatment = bench.treat(Bench.fcm(access: access))
        #expect(treatment.answer.status == 200)
        #expect(treatment.answer.json["name"]?.string?.hasPrefix("projects/project-one/messages/0:") == true)
        #expect(treatment.outgoing.map(\.message?.payload) == [Array(#"{"a":"1"}"#.utf8)])
        #expect(treatment.outgoing.map(\.message?.priority) == ["HIGH"])
    }

    @Test func `a dry run is checked and reaches nobody`() throws {
        var bench = try Bench()
        let access = try bench.accessToken()
        let body = #"{"validate_only":true,"message":{"token":"\#(Bench.fcmToken)","data":{}}}"#
        let treatment = bench.treat(Bench.fcm(body, access: access))
        #expect(treatment.answer.json["name"]?.string == "projects/project-one/messages/fake_message_id")
        #expect(treatment.outgoing.isEmpty)
    }

    @Test(arguments: [
        ("{", ""), (#"{"massage":{}}"#, ""), (#"{"message":1}"#, "message"),
        (#"{"message":{"token":"t","dota":{}}}"#, "message"),
        (#"{"message":{"token":"t","data":{"a":"1","b":2}}}"#, "message.data[1].value"),
        (#"{"message":{"token":"t","android":{"priority":"URGENT"}}}"#, "message.android.priority"),
        (#"{"message":{"token":"t","android":{"ttl":60}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"60"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"tll":"60s"}}}"#, "message.android"),
    ])
    func `what Google's front end can't read is refused without an FcmError`(body: String, field: String) throws {
        let refusal = try answer(body)
        #expect(refusal.status == 400)
        #expect(code(refusal) == nil)
        #expect(violation(refusal) == field)
    }

    @Test(arguments: [
        #"{"message":{"data":{"a":"1"}}}"#, #"{"message":{"token":"t","topic":"x"}}"#,
        #"{"message":{"token":"t","data":{"from":"1"}}}"#, #"{"message":{"token":"t","data":{"google.x":"1"}}}"#,
        #"{"message":{"token":"t","data":{"gcm":"1"}}}"#, #"{"message":{"token":"t","android":{"ttl":"2419201s"}}}"#,
        #"{"message":{"token":"t","android":{"ttl":"-1s"}}}"#,
    ])
    func `what FCM itself refuses says INVALID_ARGUMENT`(body: String) throws {
        let refusal = try answer(body)
        #expect(refusal.status == 400)
        #expect(code(refusal) == "INVALID_ARGUMENT")
    }

    @Test func `a message above 4096 bytes is refused without details`() throws {
        let refusal = try answer(message(#""data":{"a":"\#(String(repeating: "x", count: 4096))"}"#))
        #expect(refusal.status == 400)
        #expect(refusal.json["error"]?["details"] == nil)
    }

    @Test func `lower-case priorities and installation ids are taken`() throws {
        #expect(try answer(message(#""android":{"priority":"high"}"#)).isAccepted)
        #expect(try answer(#"{"message":{"fid":"\#(Bench.fcmToken)"}}"#).isAccepted)
    }

    @Test func `a token that can't be one is an invalid argument`() throws {
        let refusal = try answer(#"{"message":{"token":"short"}}"#)
        #expect(refusal.status == 400)
        #expect(code(refusal) == "INVALID_ARGUMENT")
        #expect(violation(refusal) == "message.token")
    }

    @Test func `an unknown or removed token is unregistered`() throws {
        for refusal in [
            try answer(#"{"message":{"token":"nobodysRegistrationToken"}}"#),
            try answer(Bench.hint) { $0.world.devices.setState(Bench.fcmToken, .unregistered(1)) },
        ] {
            #expect(refusal.status == 404)
            #expect(code(refusal) == "UNREGISTERED")
        }
    }

    @Test func `a token of another project is a mismatch`() throws {
        let refusal = try answer(Bench.hint) { bench in
            _ = bench.world.devices.register(
                Device(token: Bench.fcmToken, provider: "fcm", app: "project-two"), now: 0)
        }
        #expect(refusal.status == 403)
        #expect(code(refusal) == "SENDER_ID_MISMATCH")
    }

    @Test func `no access token, a made-up one and an old one are unauthenticated`() throws {
        var bench = try Bench()
        let access = try bench.accessToken()
        #expect(bench.treat(Bench.fcm(access: "made-up")).answer.status == 401)
        var without = Bench.fcm(access: access)
        without.fields = Headers(without.fields.filter { $0.name != "authorization" })
        #expect(bench.treat(without).answer.json["error"]?["status"]?.string == "UNAUTHENTICATED")
        bench.now += 3599
        #expect(bench.treat(Bench.fcm(access: access)).answer.isAccepted)
        bench.now += 1
        #expect(bench.treat(Bench.fcm(access: access)).answer.reason == "UNAUTHENTICATED")
    }

    @Test func `another project needs its own service account`() throws {
        let key = try Bench.accountKey.get().publicKey
        var bench = try Bench { configuration in
            configuration.fcmProjects.append(FCMProject(projectID: "project-two", clientEmail: "x", publicKey: key))
        }
        let access = try bench.accessToken()
        #expect(bench.treat(Bench.fcm(access: access, project: "project-two")).answer.reason == "PERMISSION_DENIED")
        let nowhere = bench.treat(Bench.fcm(access: access, project: "project-three")).answer
        #expect(nowhere.status == 404)
        #expect(code(nowhere) == nil)
    }

    @Test(arguments: [
        "/v1/projects/x/messages:sent", "/v2/projects/x/messages:send", "/", "/v1/projects//messages:send",
    ])
    func `a wrong path gets a page, not an envelope`(path: String) throws {
        var bench = try Bench()
        let answer = bench.treat(Bench.fcm(access: "", path: path)).answer
        #expect(answer.status == 404)
        #expect(answer.headers["content-type"]?.hasPrefix("text/html") == true)
    }

    @Test(arguments: FCMError.allCases) func `every row of FCM's table can be scripted`(row: FCMError) throws {
        var bench = try Bench()
        let access = try bench.accessToken()
        bench.world.script = try Script(
            parsing: Array(#"{"rules":[{"do":{"answer":{"reason":"\#(row.rawValue)","retryAfter":"7"}}}]}"#.utf8))
        let answer = bench.treat(Bench.fcm(access: access)).answer
        #expect(answer.status == row.status)
        #expect(answer.json["error"]?["code"]?.integer == Int64(row.status))
        #expect(answer.headers["retry-after"] == "7")
    }
}
