import Daemon
import FoundationEssentials
import Messages
import TestSupport

@testable import Verification

/// An iOS build, made by Python and OpenSSL, that lacks nothing unless a test takes it away.
struct SampleApp {
    var form = "ipa"
    var lists = "binary"
    var bundleID = "nl.cheqi.app"
    var modes = ["fetch", "remote-notification"]
    /// Absent: an App Store build.
    var environment: String? = "production"
    var hasProfile = true
    var applicationID = "DEF123GHIJ.nl.cheqi.app"
    var expiresAt: Int64 = 2_000_000_000
    var isTampered = false
    var strings = ["en": allKeys]
    var table: [String: [String]] = [:]
    var text: String?
    var category: String?
    var environments = #"["production"]"#

    static let allKeys = [
        "receipt.available.title", "receipt.available.body", "credit_note.available.title",
        "credit_note.available.body",
    ]

    func report() async throws -> AppReport {
        let folder = try ScratchFolder()
        let specification = ScratchFile(String(decoding: encoded, as: UTF8.self))
        let script = "\(Repository.root)/Tests/Interoperation/ios_app.py"
        let path = try await ShellCommand.output(
            of: "/usr/bin/python3 '\(script)' '\(specification.path)' '\(folder.path)'")
        return try AppReport(path: String(path.drop { $0.isNewline }.prefix { !$0.isNewline }), apps: apps)
    }

    var apps: AppsFile {
        get throws {
            let json = """
                {"apps": [{"name": "cheqi", "apns": {"bundleId": "nl.cheqi.app", "teamId": "DEF123GHIJ",
                  "keyId": "ABC123DEFG", "keyFile": "key.p8", "environments": \(environments)}}]}
                """
            return try AppsFile(json: Array(json.utf8), path: "apps.json") { _ in true }
        }
    }

    private var encoded: [UInt8] {
        func texts(_ keys: [String]) -> JSONValue {
            .object(Dictionary(keys.map { ($0, .string("text")) }) { first, _ in first })
        }
        var entitlements: [String: JSONValue] = ["application-identifier": .string(applicationID)]
        if let environment { entitlements["aps-environment"] = .string(environment) }
        var members: [String: JSONValue] = [
            "form": .string(form), "lists": .string(lists), "tampered": .bool(isTampered),
            "info": .object([
                "CFBundleIdentifier": .string(bundleID), "CFBundleDevelopmentRegion": .string("en"),
                "UIBackgroundModes": .array(modes.map { .string($0) }),
            ]),
            "strings": .object(strings.mapValues(texts)), "table": .object(table.mapValues(texts)),
        ]
        if hasProfile {
            members["profile"] = .object([
                "Name": .string("Sample"), "ExpirationDate": .integer(expiresAt), "Entitlements": .object(entitlements),
            ])
        }
        if let category { members["category"] = .string(category) }
        if let text { members["text"] = .string(text) }
        return JSONValue.object(members).encoded()
    }
}

/// A folder that goes with this value.
final class ScratchFolder {
    let path: String

    init() throws {
        path = "\(FileManager.default.temporaryDirectory.path)/verify-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
