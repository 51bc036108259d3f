import HTTP2
import Testing

@testable import ProviderSimulator

struct ScriptTests {
    private func script(_ rules: String) throws -> Script { try Script(parsing: Array("{\"rules\":[\(rules)]}".utf8)) }

    private func actions(_ script: Script, _ count: Int, token: String? = "t") throws -> [Bool] {
        var script = script
        let request = try Bench.apns()
        return (0..<count).map { _ in script.action(for: request, token: token) != nil }
    }

    @Test func `a rule is used as often as it says, from where it says`() throws {
        let script = try script(#"{"times":2,"after":1,"do":{"hang":true}}"#)
        #expect(try actions(script, 5) == [false, true, true, false, false])
    }

    @Test(arguments: [0, 0.25, 1]) func `a probability is the share of requests`(probability: Double) throws {
        let script = try script(#"{"probability":\#(probability),"do":{"hang":true}}"#)
        let share = Double(try actions(script, 4000).count { $0 }) / 4000
        // Five standard deviations.
        #expect(abs(share - probability) < 0.035)
    }

    @Test func `the same seed has the same chances`() throws {
        func seeded(_ seed: Int) throws -> [Bool] {
            let rule = #"{"probability":0.5,"do":{"hang":true}}"#
            return try actions(try Script(parsing: Array(#"{"seed":\#(seed),"rules":[\#(rule)]}"#.utf8)), 64)
        }
        #expect(try seeded(7) == seeded(7))
        #expect(try seeded(7) != seeded(8))
    }

    @Test func `the first rule that fits decides`() throws {
        var script = try script(#"{"match":{"token":"u"},"do":{"drop":true}},{"do":{"hang":true}}"#)
        let request = try Bench.apns()
        #expect(script.action(for: request, token: "u")?.drop == true)
        #expect(script.action(for: request, token: "t")?.hang == true)
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
        #expect(action.delay == .uniform(1...5))
        #expect(action.reset == .internalError)
        #expect(action.afterHeaders)
        #expect(action.goAway?.last == .before)
        #expect(action.goAway?.code == .enhanceYourCalm)
        #expect(action.streams == 1)
        #expect(action.deliver)
        #expect(action.expire == 5)
    }

    @Test(arguments: [
        (#"{"do":{"hnag":true}}"#, #"script.rules[0].do: "hnag" is not known here, only answer, delayMilliseconds"#),
        ("{}", "script.rules[0].do is missing: an object of what to do"),
        ("7", "script.rules[0] must be an object"),
        (#"{"do":{"answer":"Gone"}}"#, "rules[0].do.answer: no provider says Gone; give a status with it"),
        (
            #"{"match":{"provider":"fcm"},"do":{"answer":"Unregistered"}}"#,
            "rules[0].do.answer: Unregistered is a word of apns, not of fcm"
        ),
        (#"{"do":{"answer":7}}"#, "rules[0].do.answer must be a reason or an object"),
        (#"{"do":{"answer":{}}}"#, "rules[0].do.answer needs a reason or a status"),
        (#"{"do":{"answer":{"status":99}}}"#, "rules[0].do.answer.status must be from 200 to 599"),
        (#"{"do":{"reset":"NOPE"}}"#, "rules[0].do.reset: no HTTP/2 error code NOPE; one of NO_ERROR, PROTOCOL_ERROR"),
        (#"{"match":{"provider":"wns"},"do":{}}"#, "rules[0].match.provider must be apns, fcm or oauth"),
        (
            #"{"match":{"provider":"fcm","environment":"sandbox"},"do":{}}"#,
            "rules[0].match.environment: only apns has environments"
        ),
        (#"{"match":{"tokens":[]},"do":{}}"#, "rules[0].match.tokens must name at least one token"),
        (#"{"match":{"tokens":["a",1]},"do":{}}"#, "rules[0].match.tokens[1] must be a string"),
        (#"{"do":{"delayMilliseconds":[5,1]}}"#, "rules[0].do.delayMilliseconds must be milliseconds"),
        (#"{"do":{"delayMilliseconds":{"normal":{"mean":5}}}}"#, "rules[0].do.delayMilliseconds must be milliseconds"),
        (#"{"do":{"hang":true,"silence":true}}"#, "rules[0].do: hang and silence exclude each other"),
        (#"{"do":{"drop":true,"deliver":true}}"#, "rules[0].do: drop and deliver exclude each other"),
        (#"{"do":{"afterHeaders":true}}"#, "rules[0].do.afterHeaders goes with hang, reset, silence or disconnect"),
        (#"{"do":{"goAway":{"lastStream":"next"}}}"#, #"rules[0].do.goAway.lastStream must be "before", "this""#),
        (#"{"do":{"streams":-1}}"#, "rules[0].do.streams must be from 0 to"),
        (#"{"times":"x","do":{}}"#, "rules[0].times must be a whole number"),
        (#"{"times":0,"do":{}}"#, "rules[0].times must be from 1 to"),
        (#"{"probability":1.5,"do":{}}"#, "rules[0].probability must be from 0.0 to 1.0"),
        (#"{"do":{},"do":{}}"#, #"script.rules[0]: "do" is given twice"#),
    ])
    func `a mistake is named with its place and what was expected`(rule: String, says: String) throws {
        let error = #expect(throws: ScriptError.self) { try script(rule) }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: [
        ("{\n  \"rules\": [\n    {\"do\": }\n]}", "script: not valid JSON from line 3, column 12 on"),
        ("", "script: not valid JSON from line 1, column 1 on"),
        ("{}", "script.rules is missing: a list of rules"),
        (#"{"rules":{}}"#, "script.rules must be a list"), ("[]", "script must be an object"),
        (#"{"rules":[],"seed":-1}"#, "script.seed must be from 0 to"),
    ])
    func `a script that is none is named with its place`(text: String, says: String) throws {
        let error = #expect(throws: ScriptError.self) { try Script(parsing: Array(text.utf8)) }
        #expect(error?.description.hasPrefix(says) == true, "\(error?.description ?? "")")
    }

    @Test func `a word belongs to its provider`() throws {
        let script = try script(#"{"do":{"answer":"UNREGISTERED"}}"#)
        #expect(try actions(script, 1) == [false])
        #expect(script.rules[0].match.provider == "fcm")
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
