import Daemon
import Delivery
import LocalStack
import Messages
import TestSupport
import Testing

/// Decisions W1 and W2 against what the providers were really sent.
extension StackTests {
    @Test func `the providers get the bytes of W1 and W2 and nothing else`() async throws {
        try await RunningStack.with { running in
            let jobs = try await running.commitBoth()
            try await running.expectEvidence(of: jobs)
            let app = try running.app()
            let pushes = try await running.acceptedPushes()
            let hints = try running.stack.tap.sightings.filter { $0.type == "hint.v1" }
                .map { try Hint(decoding: $0.body) }
            #expect(hints.count == 4)
            for hint in hints {
                switch hint.route.provider {
                case .apns:
                    try expectW1(hint, app, try #require(pushes.only { $0.field("apns-id") == "\(hint.entry)" }))
                case .fcm:
                    let request = pushes.only { $0.provider == "fcm" && text($0).contains("\(hint.job)") }
                    try expectW2(hint, app, try #require(request))
                }
            }
        }
    }

    private func expectW1(_ hint: Hint, _ app: AppsFile.App, _ request: ProviderControl.Request) throws {
        #expect(request.method == "POST")
        #expect(request.path.contains(/^\/3\/device\/[0-9a-f]{64,200}$/))
        let apns = try #require(app.apns)
        let own = request.fields.filter { $0[0].hasPrefix("apns-") }
        let expected = [
            ["apns-collapse-id", "\(hint.job)"], ["apns-expiration", "\(hint.expiresAt / 1000)"],
            ["apns-id", "\(hint.entry)"], ["apns-priority", "10"], ["apns-push-type", "alert"],
            ["apns-topic", apns.bundleID],
        ]
        #expect(own.sorted { $0[0] < $1[0] } == expected)
        #expect(request.field("authorization")?.hasPrefix("bearer ") == true)
        let known = ["authorization", "content-length", "content-type", "user-agent", "host"]
        for field in request.fields where !field[0].hasPrefix("apns-") && !field[0].hasPrefix(":") {
            #expect(known.contains(field[0]), "\(field[0])")
        }
        let words = try #require(apns.localization[hint.documentType.rawValue])
        let body = try JSONValue(
            parsing: Array(
                """
                {"aps":{"alert":{"title-loc-key":"\(words.title)",
                "loc-key":"\(words.body)"},"content-available":1,"sound":"default",
                "category":"\(apns.category)"},"eventType":"RECEIPT_GENERATION_AVAILABLE",
                "eventVersion":1,"jobId":"\(hint.job)","documentType":"\(hint.documentType.rawValue)"}
                """.utf8))
        #expect(try JSONValue(parsing: request.body) == body)
    }

    private func expectW2(_ hint: Hint, _ app: AppsFile.App, _ request: ProviderControl.Request) throws {
        #expect(request.method == "POST")
        let project = try #require(app.fcm).projectID
        #expect(request.path == "/v1/projects/\(project)/messages:send")
        #expect(request.field("authorization")?.hasPrefix("Bearer ") == true)
        let value = try JSONValue(parsing: request.body)
        let message = try #require(value["message"]?.object)
        #expect(value.object?.count == 1)
        #expect(Set(message.keys) == [hint.token.kind.rawValue, "data", "android"])
        #expect(
            message["data"]
                == .object([
                    "eventType": .string("RECEIPT_GENERATION_AVAILABLE"), "eventVersion": .string("1"),
                    "jobId": .string("\(hint.job)"), "documentType": .string(hint.documentType.rawValue),
                ]))
        let android = try #require(message["android"]?.object)
        #expect(Set(android.keys) == ["priority", "ttl"])
        #expect(android["priority"] == .string("HIGH"))
        let ttl = try #require(android["ttl"]?.string)
        #expect(ttl.hasSuffix("s"))
        // Four weeks are the most that FCM takes.
        let left = min((hint.expiresAt - hint.publishedAt) / 1000, 2_419_200)
        let seconds = try #require(Int64(ttl.dropLast()))
        #expect((left - 30...left).contains(seconds), "\(ttl), left \(left)")
    }

    private func text(_ request: ProviderControl.Request) -> String { String(decoding: request.body, as: UTF8.self) }
}

extension RunningStack {
    /// The app in the apps file that the services read.
    fileprivate func app() throws -> AppsFile.App {
        try #require(AppsFile(reading: stack.providers.appsFile).apps.first)
    }
}

extension Sequence {
    /// The one element that matches; nil if there is none or another.
    fileprivate func only(where matches: (Element) -> Bool) -> Element? {
        let found = filter(matches)
        return found.count == 1 ? found[0] : nil
    }
}
