public import Daemon
import FoundationEssentials

extension VerificationReport {
    /// Writes `report.txt`, `report.json`, `report.xml` (JUnit) and `report.html` into the folder, which is made if need be.
    public func write(to folder: String) throws(CommandFailure) {
        let files: [(String, [UInt8])] = [
            ("report.txt", Array("\(text)\n".utf8)), ("report.json", json), ("report.xml", Array(junit.utf8)),
            ("report.html", Array(page.utf8)),
        ]
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, content) in files { try Data(content).write(to: URL(filePath: "\(folder)/\(name)")) }
        } catch {
            throw CommandFailure(.cannotCreate, "cannot write the report to \(folder): name a writable folder")
        }
    }
}
