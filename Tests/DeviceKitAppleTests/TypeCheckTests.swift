import FoundationEssentials
import TestSupport
import Testing

@Suite(.serialized) struct TypeCheckTests {
    private var sources: [String] {
        Repository.files(under: "Sources/DeviceKitApple", suffix: ".swift").map { "\(Repository.root)/\($0)" }
    }

    @Test func `the adapter fits Apple's interfaces`() async throws {
        let stubs = try await AppleStubs()
        defer { stubs.remove() }
        #expect(sources.count > 5)
        #expect(try await stubs.errors(in: sources) == "")
    }

    @Test func `a call that Apple does not have is found, so the adapter was really looked at`() async throws {
        let stubs = try await AppleStubs()
        defer { stubs.remove() }
        let name = try #require(sources.first { $0.hasSuffix("ApplicationHost+Effects.swift") })
        let text = try Repository.text("Sources/DeviceKitApple/ApplicationHost+Effects.swift")
        let changed = "\(stubs.folder)/Changed.swift"
        let misspelt = text.split(separator: "registerForRemoteNotifications()", omittingEmptySubsequences: false)
            .joined(separator: "registerForPushNotifications()")
        try Data(misspelt.utf8).write(to: URL(filePath: changed))
        let errors = try await stubs.errors(in: sources.filter { $0 != name } + [changed])
        #expect(errors.contains("has no member 'registerForPushNotifications'"))
    }
}
