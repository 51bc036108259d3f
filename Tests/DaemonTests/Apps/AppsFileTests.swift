import Daemon
import Testing

struct AppsFileTests {
    private func read(_ text: String) throws -> AppsFile {
        try AppsFile(json: Array(text.utf8), path: "/etc/md/apps.json") { !$0.contains("missing") }
    }

    private func problems(_ text: String) -> [String] {
        do { _ = try read(text) } catch let error as AppsFileError { return error.problems } catch {}
        return []
    }

    private static let apns = #""bundleId":"nl.cheqi.app","teamId":"DEF123GHIJ","keyId":"ABC123DEFG","keyFile":"k.p8""#
    private static let fcm = #"{"projectId":"cheqi-prod","serviceAccountFile":"/run/secrets/sa.json"}"#

    @Test func `defaults are filled in and paths are relative to the file`() throws {
        let file = try read(#"{"apps":[{"name":"cheqi","apns":{\#(Self.apns)},"fcm":\#(Self.fcm)}]}"#)
        let app = try #require(file.app(named: "cheqi"))
        #expect(app.apns?.keyFile == "/etc/md/k.p8")
        #expect(app.apns?.environments == ["production"])
        #expect(app.apns?.category == "RECEIPT_AVAILABLE")
        #expect(app.apns?.localization["CREDIT_NOTE"]?.title == "credit_note.available.title")
        #expect(app.fcm?.serviceAccountFile == "/run/secrets/sa.json")
    }

    @Test func `routes name one queue for each environment and project`() throws {
        let file = try read(
            #"{"apps":[{"name":"a","apns":{\#(Self.apns),"environments":["sandbox","production"]},"fcm":\#(Self.fcm)},"#
                + #"{"name":"b","fcm":\#(Self.fcm)}]}"#)
        #expect(
            file.routes.map(\.queue) == [
                "hints.apns.sandbox.a", "hints.apns.production.a", "hints.fcm.a", "hints.fcm.b",
            ])
    }

    @Test func `texts of one document type can be set and the other keeps its default`() throws {
        let file = try read(
            #"{"apps":[{"name":"a","apns":{\#(Self.apns),"localization":{"RECEIPT":{"title":"t","body":"b"}}}}]}"#)
        let localization = try #require(file.apps.first?.apns?.localization)
        #expect(localization["RECEIPT"] == AppsFile.Localization(title: "t", body: "b"))
        #expect(localization["CREDIT_NOTE"]?.body == "credit_note.available.body")
    }

    @Test(arguments: [
        ("nonsense", "not valid JSON"),
        ("[]", "the file must be an object"),
        (#"{"apps":[]}"#, "apps must be a list of at least one app"),
        (#"{"apps":[{"name":"Dead!"}]}"#, #"app 1: name must be 1 to 40 of a-z, 0-9 and -, and not "dead""#),
        (
            #"{"apps":[{"name":"dead","fcm":\#(fcm)}]}"#,
            #"app 1: name must be 1 to 40 of a-z, 0-9 and -, and not "dead""#
        ),
        (#"{"apps":[{"name":"a"}]}"#, #"app "a": needs apns, fcm or both"#),
        (
            #"{"apps":[{"name":"a","fcm":{"projectId":"cheqi-prod"}}]}"#,
            #"app "a": fcm.serviceAccountFile is missing: the path of a file"#
        ),
        (
            #"{"apps":[{"name":"a","fcm":{"projectId":7,"serviceAccountFile":"s"}}]}"#,
            #"app "a": fcm.projectId must be a Firebase project id"#
        ),
        (
            #"{"apps":[{"name":"a","apns":{\#(apns),"environments":["prod"]}}]}"#,
            #"app "a": apns.environments must list "production", "sandbox" or both, each once"#
        ),
        (
            #"{"apps":[{"name":"a","apns":{\#(apns),"topic":"x"}}]}"#,
            #"app "a": apns: "topic" is not known here, only bundleId, teamId, keyId, keyFile, environments, category, localization"#
        ),
        (
            #"{"apps":[{"name":"a","fcm":{"projectId":"cheqi-prod","serviceAccountFile":"missing.json"}}]}"#,
            #"app "a": fcm.serviceAccountFile: /etc/md/missing.json cannot be read"#
        ),
        (#"{"apps":[{"name":"a","fcm":\#(fcm)},{"name":"a","fcm":\#(fcm)}]}"#, #"two apps have the name "a""#),
    ])
    func `each fault names its app and field`(text: String, problem: String) {
        #expect(problems(text).contains(problem))
    }

    @Test func `all faults come in one line`() throws {
        let error = #expect(throws: AppsFileError.self) {
            try read(#"{"apps":[{"name":"a","apns":{"teamId":"x"}}]}"#)
        }
        #expect(error?.problems.count == 4)
        #expect(error?.failure.status == .configuration)
        #expect(
            error?.description.hasPrefix(#"apps file /etc/md/apps.json: app "a": apns.bundleId is missing"#) == true)
    }

    @Test func `a file that cannot be read says what to do`() {
        let error = #expect(throws: AppsFileError.self) { try AppsFile(reading: "/nowhere/apps.json") }
        #expect(error?.description.contains("MOBILE_DELIVERY_APPS_FILE") == true)
    }
}
