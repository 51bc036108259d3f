import AppArchive
import TestSupport
import Testing

@testable import Verification

/// What docs/ios.md gives people to copy.
@Suite struct TemplateTests {
    private func template(_ name: String) throws -> PropertyList {
        try PropertyList(parsing: Array(Repository.text("docs/templates/\(name)").utf8))
    }

    @Test func `R-30: the plist has the background mode that the check asks for`() throws {
        var info = try #require(try template("Info.plist").members)
        info["CFBundleIdentifier"] = .text("nl.cheqi.app")
        let check = AppCheck(
            info: .members(info), profile: .store, strings: AppStrings(), extensions: [], apps: try SampleApp().apps,
            now: 0)
        #expect(check.findings.first { $0.subject == .remoteNotification }?.verdict == .fine)
    }

    @Test func `the plist names the refresh task that the page registers`() throws {
        let names = try template("Info.plist")["BGTaskSchedulerPermittedIdentifiers"]?.texts
        #expect(names?.isEmpty == false)
        for name in names ?? [] { #expect(try Repository.text("docs/ios.md").contains("\"\(name)\"")) }
    }

    @Test(arguments: [("Production", "production"), ("Development", "development")])
    func `R-30: each entitlements file is for its environment`(name: String, environment: String) throws {
        #expect(try template("\(name).entitlements") == .members(["aps-environment": .text(environment)]))
    }
}
