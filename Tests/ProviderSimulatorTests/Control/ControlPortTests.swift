import FoundationEssentials
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import ProviderSimulator

/// What the control port and the files offer beyond journal, deliveries, phones and script.
@Suite(.timeLimit(.minutes(4)))
struct ControlPortTests {
    @Test func `the clock can be set, and credentials age with it`() async throws {
        let rig = try await SimulatorRig.start()
        #expect(try await rig.push().answeredStatus == 200)
        #expect(try await rig.control("POST", "/clock", #"{"offsetSeconds":7200}"#).status == 200)
        guard case .answer(let response) = try await rig.push() else {
            Issue.record("no answer")
            return
        }
        #expect(JSONValue(parsing: response.body) == ["reason": "ExpiredProviderToken"])
        let now = try #require(JSONValue(parsing: try await rig.control("GET", "/clock").body)?["now"]?.integer)
        #expect(abs(now - WallClock.now - 7_200_000) < 60_000)
        await rig.stop()
    }

    @Test func `many phones are registered at once, or none`() async throws {
        let rig = try await SimulatorRig.start()
        let good = #"{"token":"registrationToken-1","provider":"fcm","app":"p"}"#
        let bad = try await rig.control(
            "POST", "/devices", "\(good)\n{\"token\":\"x\",\"provider\":\"apns\",\"app\":\"a\"}")
        #expect(bad.status == 400)
        #expect(bad.text.contains("line 2.token of apns must be 32 to 200 hexadecimal digits"))
        #expect(try await rig.control("GET", "/devices/registrationToken-1").status == 404)
        let answer = try await rig.control("POST", "/devices", "\(good)\n\n\(good)\n")
        #expect(JSONValue(parsing: answer.body) == ["registered": 2])
        #expect(try await rig.control("GET", "/devices/registrationToken-1").status == 200)
        await rig.stop()
    }

    @Test func `files get every request and every delivery`() async throws {
        let (journal, deliveries) = (ScratchFile(""), ScratchFile(""))
        let rig = try await SimulatorRig.start {
            $0.journalFile = journal.path
            $0.deliveriesFile = deliveries.path
            $0.journalEntries = 1
        }
        for _ in 0..<20 { #expect(try await rig.push().answeredStatus == 200) }
        let last = try #require(try await rig.lines("/journal").first)
        await rig.stop()
        for file in [journal, deliveries] {
            let lines = (TextFile.read(file.path) ?? "").split(separator: "\n").map { JSONValue(parsing: String($0)) }
            // One entry is kept for readers: a file that was slower says how many it left out.
            let count = lines.reduce(0) { $0 + ($1?["lost"]?.integer ?? 1) }
            #expect(count == 20)
        }
        #expect((TextFile.read(journal.path) ?? "").split(separator: "\n").last.map(String.init) == last.text)
    }

    @Test func `a file that cannot be written keeps the simulator from starting`() async throws {
        var configuration = SimulatorConfiguration(identity: try Bench.identity.get())
        configuration.journalFile = "/nowhere/journal"
        let error = await #expect(throws: ScriptError.self) { try await SimulatedProviders.start(configuration) }
        #expect(error?.description.hasPrefix("/nowhere/journal cannot be written: ") == true)
    }

    @Test(arguments: [#"{"disconnect":true}"#, #"{"reset":"CANCEL"}"#, #"{"disconnect":true,"afterHeaders":true}"#])
    func `over HTTP 1 point 1 a fault ends the connection, and the next request finds another`(action: String)
        async throws
    {
        let rig = try await SimulatorRig.start()
        let authority = ScratchFile(rig.authorityPEM)
        var configuration = HTTPClient.Configuration(caFile: authority.path)
        configuration.version = .http1
        let client = HTTPClient.Client(configuration)
        let request = HTTPClient.Request(
            "POST", "\(rig.providers.addresses.fcm)/v1/projects/\(Bench.project)/messages:send",
            body: Array(Bench.hint.utf8))
        try await rig.play(#"{"rules":[{"match":{"provider":"fcm"},"times":1,"do":\#(action)}]}"#)
        await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        let answer = try await client.send(request)
        #expect(answer.status == 401)
        #expect(answer.version == "1.1")
        await client.close()
        await rig.stop()
    }

    @Test(arguments: [
        ("{}", "connections.provider is missing: apns, fcm or oauth"),
        (#"{"provider":"apns"}"#, "connections.do is missing: goAway, silence, disconnect or streams"),
        (#"{"provider":"apns","do":"streams"}"#, "connections.streams is missing: how many"),
        (#"{"provider":"apns","do":"dance"}"#, "connections.do must be goAway, silence, disconnect or streams"),
        (#"{"provider":"fcm","do":"goAway","code":"X"}"#, "connections.code: no HTTP/2 error code X"),
    ])
    func `a wrong order is named with its place`(text: String, says: String) {
        let error = #expect(throws: ScriptError.self) { try ConnectionOrder(.of(text), at: "connections") }
        #expect(error?.description.hasPrefix(says) == true)
    }

    @Test func `every script of the documentation is one`() throws {
        let blocks = try Repository.text("docs/provider-simulator.md").split(separator: "```")
        let scripts = blocks.filter { $0.hasPrefix("json") && $0.contains("\"rules\"") }
        #expect(scripts.count == 1)
        for block in scripts {
            let text = block.dropFirst(4).replacing("ab…", with: "ab")
            #expect(try !Script(parsing: Array(text.utf8)).rules.isEmpty)
        }
    }

    @Test func `every word of the documentation's table of answers is one`() throws {
        let line = try #require(
            try Repository.text("docs/provider-simulator.md").split(separator: "\n").first {
                $0.contains("`\"answer\": \"WORD\"`")
            })
        let words = line.split(separator: "`").map(String.init).filter { word in
            word.count > 3 && word.allSatisfy { $0.isLetter || $0 == "_" }
        }
        let spoken = words.compactMap { word in Action.Answer.speaker(of: word).map { (word, $0) } }
        #expect(Set(spoken.filter { $0.1 == "fcm" }.map(\.0)) == Set(FCMError.allCases.map(\.rawValue)))
        #expect(Set(spoken.filter { $0.1 == "oauth" }.map(\.0)) == AccessTokens.errors)
    }
}
