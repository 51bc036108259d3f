import Testing

@testable import ProviderSimulator

/// Libraries that others send with see of the simulator what they would see of the providers.
@Suite(.timeLimit(.minutes(4)))
struct PushClientTests {
    @Test(arguments: APNSClientCases.refused)
    func `aioapns sends, and sees why it is refused`(_ pushCase: PushClientCase) async throws {
        try await check(pushCase)
    }

    @Test(arguments: APNSClientCases.scripted)
    func `aioapns sees every row of Apple's table`(_ pushCase: PushClientCase) async throws {
        try await check(pushCase)
    }

    @Test(arguments: FCMClientCases.all)
    func `firebase-admin sees every row of FCM's table`(_ pushCase: PushClientCase) async throws {
        try await check(pushCase)
    }

    private func check(_ pushCase: PushClientCase) async throws {
        let results = try await PushClientRun.results.value
        let seen = try #require(results[pushCase.name], "the program never came to this case")
        for member in pushCase.expected {
            #expect(seen[member.key] ?? .null == member.value, "\(member.key) in \(seen.text)")
        }
    }

    @Test func `every row of Apple's table has a request that brings it about, or can have none`() {
        let refused = Set(APNSClientCases.refused.flatMap(\.expected).filter { $0.key == "reason" }.map(\.value))
        for reason in APNSReason.allCases {
            #expect(
                refused.contains(.string(reason.rawValue)) != APNSClientCases.onlyByScript.contains(reason),
                "\(reason.rawValue)")
        }
    }

    @Test func `every row of FCM's table is scripted once`() {
        #expect(FCMClientCases.scriptedWords == Set(FCMError.allCases.map(\.rawValue)))
    }
}
