import HTTP2
import Testing

@testable import ProviderSimulator

struct ScriptTests {
    private func script(_ rules: String) throws -> Script { try Script(parsing: Array("{\"rules\":[\(rules)]}".utf8)) }

    private func actions(_ script: Script, _ count: Int, token: String? = "t", chance: Double = 0) throws -> [Bool] {
        var script = script
        let request = try Bench.apns()
        return (0..<count).map { _ in script.action(for: request, token: token, chance: { chance }) != nil }
    }

    @Test func `a rule is used as often as it says, from where it says`() throws {
        let script = try script(#"{"times":2,"after":1,"do":{"hang":true}}"#)
        #expect(try actions(script, 5) == [false, true, true, false, false])
    }

    @Test func `a probability is a threshold`() throws {
        let script = try script(#"{"probability":0.25,"do":{"hang":true}}"#)
        #expect(try actions(script, 1, chance: 0.24) == [true])
        #expect(try actions(script, 1, chance: 0.25) == [false])
    }

    @Test func `the first rule that fits decides`() throws {
        var script = try script(#"{"match":{"token":"u"},"do":{"drop":true}},{"do":{"hang":true}}"#)
        let request = try Bench.apns()
        #expect(script.action(for: request, token: "u", chance: { 0 })?.drop == true)
        #expect(script.action(for: request, token: "t", chance: { 0 })?.hang == true)
    }

    @Test(arguments: [
        (#"{"provider":"apns"}"#, true), (#"{"provider":"fcm"}"#, false), (#"{"environment":"sandbox"}"#, false),
        (#"{"tokens":["x","t"]}"#, true), (#"{"tokenPrefix":"u"}"#, false), (#"{"job":"alert"}"#, true),
        (#"{"contains":"nothing"}"#, false),
    ])
    func `a rule fits by what it names`(match: String, fits: Bool) throws {
        #expect(try actions(try script(#"{"match":\#(match),"do":{"hang":true}}"#), 1) == [fits])
    }

    @Test func `everything that can be done is read`() throws {
        let text = """
            {"do":{"answer":{"status":429,"reason":"TooManyRequests","retryAfter":"9"},"delayMilliseconds":[1,5],
            "reset":"INTERNAL_ERROR","afterHeaders":true,"goAway":{"lastStream":"before","code":"ENHANCE_YOUR_CALM",
            "reason":"too_many_pings"},"streams":1,"deliver":true,"expire":5}}
            """
        let action = try #require(try script(text).rules.first?.action)
        #expect(action.answer == Action.Answer(status: 429, reason: "TooManyRequests", retryAfter: "9"))
        #expect(action.delayMilliseconds == 1...5)
        #expect(action.reset == .internalError)
        #expect(action.afterHeaders)
        #expect(action.goAway?.last == .before)
        #expect(action.goAway?.code == .enhanceYourCalm)
        #expect(action.streams == 1)
        #expect(action.deliver)
        #expect(action.expire == 5)
    }

    @Test(arguments: [
        (#"{"do":{"hnag":true}}"#, #"rules[0].do: "hnag" is not known here"#), (#"{}"#, "rules[0].do is missing"),
        (#"{"do":{"answer":"Gone"}}"#, "no provider says Gone"),
        (#"{"do":{"reset":"NOPE"}}"#, "no HTTP/2 error code NOPE"),
        (#"{"match":{"provider":"wns"},"do":{}}"#, "must be apns, fcm or oauth"),
        (#"{"do":{"delayMilliseconds":[5,1]}}"#, "[least, most]"),
        (#"{"times":"x","do":{}}"#, "must be a whole number"),
    ])
    func `a mistake is named with its place`(rule: String, says: String) throws {
        let error = #expect(throws: ScriptError.self) { try script(rule) }
        #expect(error?.description.contains(says) == true)
    }

    @Test func `a message may be delivered though its answer is lost`() throws {
        var bench = try Bench()
        bench.world.script = try script(#"{"times":1,"do":{"hang":true,"deliver":true}},{"do":{"hang":true}}"#)
        #expect(bench.treat(try Bench.apns()).outgoing.count == 1)
        #expect(bench.treat(try Bench.apns()).outgoing.isEmpty)
    }

    @Test func `a message may be lost though its answer says accepted`() throws {
        var bench = try Bench()
        bench.world.script = try script(#"{"do":{"drop":true}}"#)
        let treatment = bench.treat(try Bench.apns())
        #expect(treatment.answer.isAccepted)
        #expect(treatment.outgoing.isEmpty)
    }

    @Test func `a token may expire by script`() throws {
        var bench = try Bench()
        bench.world.script = try script(#"{"times":1,"do":{"expire":99}}"#)
        #expect(bench.treat(try Bench.apns()).answer.json == ["reason": "Unregistered", "timestamp": 99])
        #expect(bench.treat(try Bench.apns()).answer.reason == "Unregistered")
    }
}
