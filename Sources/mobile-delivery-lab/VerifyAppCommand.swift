import Daemon
import FoundationEssentials
import Verification

extension Command {
    /// Ends with status 1 if something is missing, and 65 if there is nothing to judge.
    static let verifyApp = Command(
        "verify ios-app", summary: "what an iOS build lacks for its pushes",
        options: [
            .value(
                "apps-file", "FILE", "what the services are given; its key files need not be there", isRequired: true),
            .flag("json", "one JSON object"),
        ], arguments: ["PATH"]
    ) { arguments in
        let path = try arguments.required("apps-file")
        let apps: AppsFile
        do {
            apps = try AppsFile(json: SettingsFile.bytes(path), path: path) { _ in true }
        } catch let error as AppsFileError {
            throw error.failure
        }
        let report = try AppReport(path: arguments.positional[0], apps: apps)
        print(arguments.has("json") ? String(decoding: report.json, as: UTF8.self) : report.text)
        guard report.missing.isEmpty else {
            let subjects = Set(report.missing.map(\.subject.rawValue)).sorted().joined(separator: ", ")
            throw CommandFailure(.failure, "\(report.path) is not ready: \(subjects)")
        }
    }
}
