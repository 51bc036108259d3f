import Daemon
import FoundationEssentials
import TestSupport
import Testing

@testable import Verification

@Suite struct AppReportTests {
    private func missing(_ change: (inout SampleApp) -> Void) async throws -> [AppFinding.Subject] {
        var app = SampleApp()
        change(&app)
        return try await app.report().missing.map(\.subject)
    }

    @Test(arguments: ["ipa", "app"], ["binary", "xml"])
    func `R-30: a complete build lacks nothing, whatever it is packed in`(form: String, lists: String) async throws {
        let report = try await SampleApp(form: form, lists: lists).report()
        #expect(report.findings.allSatisfy { $0.verdict == .fine }, "\(report.text)")
        #expect(report.findings.count >= 5)
    }

    @Test func `a profile without aps-environment has no push capability`() async throws {
        #expect(try await missing { $0.environment = nil } == [.pushCapability])
    }

    @Test func `a profile for every bundle id has no push capability`() async throws {
        #expect(try await missing { $0.applicationID = "DEF123GHIJ.*" } == [.pushCapability])
    }

    @Test func `without the background mode no hint starts the app`() async throws {
        #expect(try await missing { $0.modes = ["fetch"] } == [.remoteNotification])
    }

    @Test func `a development build needs the sandbox in the apps file`() async throws {
        #expect(try await missing { $0.environment = "development" } == [.environment])
        #expect(
            try await missing {
                $0.environment = "development"
                $0.environments = #"["production", "sandbox"]"#
            } == [])
    }

    @Test func `an App Store build has production tokens`() async throws {
        #expect(try await missing { $0.hasProfile = false } == [])
        #expect(
            try await missing {
                $0.hasProfile = false
                $0.environments = #"["sandbox"]"#
            } == [.environment])
    }

    @Test func `an App Store build's capability is a warning, because nobody can read it`() async throws {
        let report = try await SampleApp(hasProfile: false).report()
        #expect(report.findings.filter { $0.verdict == .warning }.map(\.subject) == [.pushCapability])
    }

    @Test func `a profile that was edited after signing is none`() async throws {
        #expect(try await missing { $0.isTampered = true } == [.profile])
    }

    @Test func `a profile that has expired starts no app`() async throws {
        #expect(try await missing { $0.expiresAt = 1_000_000_000 } == [.profile])
    }

    @Test func `a bundle id that the apps file does not have gets no hints`() async throws {
        #expect(try await missing { $0.bundleID = "nl.cheqi.beta" } == [.app])
    }

    @Test func `another team is a warning`() async throws {
        let report = try await SampleApp(applicationID: "OTHERTEAM0.nl.cheqi.app").report()
        #expect(report.findings.filter { $0.verdict != .fine }.map(\.subject) == [.team])
        #expect(report.missing.isEmpty)
    }

    @Test func `a key without text in the app's own language is missing`() async throws {
        let report = try await SampleApp(strings: ["en": Array(SampleApp.allKeys.dropLast())]).report()
        #expect(report.missing.map(\.subject) == [.localization])
        #expect(report.missing.first?.text.contains("credit_note.available.body") == true)
    }

    @Test func `a key without text in another language is a warning`() async throws {
        let report = try await SampleApp(strings: ["en": SampleApp.allKeys, "nl": []]).report()
        #expect(report.missing.isEmpty)
        #expect(report.findings.filter { $0.verdict == .warning }.map(\.subject) == [.localization])
    }

    @Test func `texts of all languages in one table count`() async throws {
        #expect(
            try await missing {
                $0.strings = [:]
                $0.table = ["en": SampleApp.allKeys]
            } == [])
    }

    @Test func `a string table that was not compiled is a warning`() async throws {
        let report = try await SampleApp(text: #""receipt.available.title" = "Bon";"#).report()
        #expect(report.findings.filter { $0.verdict == .warning }.map(\.subject) == [.localization])
    }

    @Test func `a content extension has to be for the category that is sent`() async throws {
        #expect(try await missing { $0.category = "SOMETHING_ELSE" } == [.category])
        #expect(try await missing { $0.category = "RECEIPT_AVAILABLE" } == [])
    }

    @Test func `an entitlements file is no build`() async throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/Sample.entitlements"
        let list = #"<plist version="1.0"><dict><key>aps-environment</key><string>production</string></dict></plist>"#
        try Data(list.utf8).write(to: URL(filePath: path))
        let failure = #expect(throws: CommandFailure.self) {
            try AppReport(path: path, apps: SampleApp().apps)
        }
        #expect(failure?.status == .dataError)
        #expect(failure?.line.contains("says aps-environment production") == true)
    }

    @Test func `a file that is no zip archive is named`() {
        let file = ScratchFile("no archive")
        let failure = #expect(throws: CommandFailure.self) {
            try AppReport(path: file.path, apps: SampleApp().apps)
        }
        #expect(failure?.line == "\(file.path) is not a zip archive: name an .ipa file or an .app folder")
    }
}
