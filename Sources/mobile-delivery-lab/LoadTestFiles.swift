import Daemon
import FoundationEssentials
import LoadTest

/// Where the reports of a load test go.
struct LoadTestFiles {
    let json: String?
    let html: String?

    init(_ arguments: ParsedArguments) {
        json = arguments.value(of: "json")
        html = arguments.value(of: "html")
    }

    /// Before the test, so that nobody waits for a report that cannot be written.
    func check() throws(CommandFailure) {
        for path in [json, html].compactMap({ $0 }) { try Self.write([], to: path) }
    }

    func write(_ report: LoadReport) throws(CommandFailure) {
        if let json { try Self.write(report.json, to: json) }
        if let html { try Self.write(Array(report.page.utf8), to: html) }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            throw CommandFailure(.cannotCreate, "cannot write \(path): name a writable place")
        }
    }
}
