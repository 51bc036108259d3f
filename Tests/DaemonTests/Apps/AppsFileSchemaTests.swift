import Daemon
import Messages
import TestSupport
import Testing

/// `topology/apps-file.schema.json` says what the reader accepts.
struct AppsFileSchemaTests {
    private let schema: JSONSchema

    init() throws { schema = try JSONSchema(Array(Repository.text("topology/apps-file.schema.json").utf8)) }

    private func isRead(_ text: String) -> Bool {
        (try? AppsFile(json: Array(text.utf8), path: "apps.json") { _ in true }) != nil
    }

    private func isOfSchema(_ text: String) throws -> Bool {
        let value = try JSONValue(parsing: Array(text.utf8))
        do {
            try schema.check(value)
            return true
        } catch let fault as JSONSchema.Fault {
            // Else the schema would be at fault.
            #expect(!fault.rule.hasPrefix("unknown"))
            return false
        }
    }

    @Test func `the example of the page is sound`() throws {
        let page = try Repository.text("docs/apps-file.md")
        let example = String(page.split(separator: "```json")[1].split(separator: "```")[0])
        #expect(try isOfSchema(example))
        let apps = try AppsFile(json: Array(example.utf8), path: "apps.json") { _ in true }
        #expect(
            apps.routes.map(\.queue) == [
                "hints.apns.production.cheqi", "hints.apns.sandbox.cheqi", "hints.fcm.cheqi",
                "hints.apns.production.partner",
            ])
    }

    private static let apns = #""bundleId":"nl.cheqi.app","teamId":"DEF123GHIJ","keyId":"ABC123DEFG","keyFile":"k.p8""#
    private static let fcm = #"{"projectId":"cheqi-prod","serviceAccountFile":"sa.json"}"#

    /// Inside of `"apns"`.
    private static let faultyAPNS = [
        apns.replacing("nl.cheqi.app", with: "nl cheqi"), apns.replacing("DEF123GHIJ", with: "DEF"),
        apns.replacing("ABC123DEFG", with: "ABC123DEF_"), apns.replacing("k.p8", with: ""),
        apns + #","environments":[]"#, apns + #","environments":["test"]"#,
        apns + #","environments":["sandbox","sandbox"]"#, apns + #","category":"""#, apns + #","categories":"x""#,
        apns + #","localization":{"INVOICE":{"title":"t","body":"b"}}"#,
        apns + #","localization":{"RECEIPT":{"title":"t"}}"#, #""bundleId":"nl.cheqi.app""#,
    ]

    static let faulty =
        [
            "[]", "{}", #"{"apps":[]}"#, #"{"apps":[],"more":1}"#, #"{"apps":[{"name":"a"}]}"#,
            #"{"apps":[{"fcm":\#(fcm)}]}"#, #"{"apps":[{"name":"dead","fcm":\#(fcm)}]}"#,
            #"{"apps":[{"name":"A","fcm":\#(fcm)}]}"#, #"{"apps":[{"name":"a","fcm":{"projectId":"cheqi-prod"}}]}"#,
            #"{"apps":[{"name":"a","fcm":{"projectId":7,"serviceAccountFile":"s"}}]}"#,
            #"{"apps":[{"name":"a","fcm":{"projectId":"ab","serviceAccountFile":"s"}}]}"#,
        ] + faultyAPNS.map { #"{"apps":[{"name":"a","apns":{\#($0)}}]}"# }

    @Test(arguments: faulty)
    func `what the reader refuses is not of the schema`(text: String) throws {
        #expect(!isRead(text))
        #expect(try !isOfSchema(text))
    }

    static let sound = [
        #"{"apps":[{"name":"dead-end","fcm":\#(fcm)}]}"#, #"{"apps":[{"name":"a","apns":{\#(apns)}}]}"#,
        #"{"apps":[{"name":"a","apns":{\#(apns),"environments":["sandbox","production"],"category":"~ x"}}]}"#,
        #"{"apps":[{"name":"a","apns":{\#(apns),"localization":{"CREDIT_NOTE":{"title":"t","body":"b"}}}}]}"#,
    ]

    @Test(arguments: sound)
    func `what is of the schema is read`(text: String) throws {
        #expect(try isOfSchema(text))
        #expect(isRead(text))
    }
}
