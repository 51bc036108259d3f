import AppArchive
public import Daemon
public import FoundationEssentials
import Messages

/// What `verify ios-app` says about one build.
public struct AppReport: Equatable, Sendable {
    public let path: String
    public let findings: [AppFinding]

    /// Reads the build at `path` and holds it against the apps file. A bare `.entitlements` file is refused: it is what
    /// somebody asked to be signed, not what was.
    public init(path: String, apps: AppsFile, now: Date = Date()) throws(CommandFailure) {
        if path.hasSuffix(".entitlements") || path.hasSuffix(".xcent") { throw AppReport.refusal(path) }
        let bundle = try AppBundle(path: path)
        guard let bytes = try bundle.file("Info.plist") else {
            throw CommandFailure(.dataError, "\(path) has no Info.plist: name an .ipa file or an .app folder")
        }
        let info = try AppReport.list(bytes, "\(path): Info.plist")
        var extensions: [PropertyList] = []
        for name in bundle.files where AppReport.isExtension(name) {
            guard let bytes = try bundle.file(name) else { continue }
            extensions.append(try AppReport.list(bytes, "\(path): \(name)"))
        }
        self.path = path
        findings =
            AppCheck(
                info: info, profile: AppProfile(try bundle.file("embedded.mobileprovision")),
                strings: try AppStrings(bundle), extensions: extensions, apps: apps,
                now: Int64(now.timeIntervalSince1970)
            ).findings
    }

    public var missing: [AppFinding] { findings.filter { $0.verdict == .missing } }

    public var text: String {
        let lines = findings.map { finding in
            let verdict = finding.verdict.rawValue + String(repeating: " ", count: 8 - finding.verdict.rawValue.count)
            return "\(verdict) \(finding.subject.rawValue): \(finding.text)"
        }
        return lines.joined(separator: "\n")
    }

    public var json: [UInt8] {
        JSONWriter.object {
            $0.member("app", path)
            $0.member("passed", missing.isEmpty)
            $0.key("findings")
            $0.array { array in
                for finding in findings {
                    array.object {
                        $0.member("verdict", finding.verdict.rawValue)
                        $0.member("subject", finding.subject.rawValue)
                        $0.member("text", finding.text)
                    }
                }
            }
        }
    }

    private static func refusal(_ path: String) -> CommandFailure {
        let environment = FileManager.default.contents(atPath: path)
            .flatMap { try? PropertyList(parsing: Array($0)) }?["aps-environment"]?.text
        return CommandFailure(
            .dataError,
            "\(path) says aps-environment \(environment ?? "nothing"), but it is what was asked for, not what was "
                + "signed: no verdict; give the .ipa or the .app")
    }

    private static func list(_ bytes: [UInt8], _ name: String) throws(CommandFailure) -> PropertyList {
        do { return try PropertyList(parsing: bytes) } catch {
            throw CommandFailure(.dataError, "\(name) is \(error)")
        }
    }

    private static func isExtension(_ name: String) -> Bool {
        let parts = name.split(separator: "/")
        return parts.count == 3 && parts[0] == "PlugIns" && parts[1].hasSuffix(".appex") && parts[2] == "Info.plist"
    }
}
