import AppArchive
import Daemon
import FoundationEssentials

/// The files of one iOS build: an `.app` folder, or the one inside an `.ipa`.
struct AppBundle {
    private enum Source {
        case folder(String)
        /// The archive and the way to the app in it, with a `/` at its end.
        case archive(ZipArchive, String)
    }

    /// No file that matters here is anywhere near it.
    private static let largest = 16 << 20

    let path: String
    private let source: Source
    /// Relative to the app's folder.
    let files: [String]

    init(path: String) throws(CommandFailure) {
        self.path = path
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(.noInput, "there is no \(path): name an .ipa file or an .app folder")
        }
        if isFolder {
            source = .folder(path)
            files = AppBundle.files(under: path, prefix: "")
        } else {
            let archive: ZipArchive
            do { archive = try ZipArchive(path: path) } catch {
                throw CommandFailure(.dataError, "\(path) is \(error): name an .ipa file or an .app folder")
            }
            let apps = Set(archive.names.compactMap(AppBundle.app))
            guard apps.count == 1, let app = apps.first else {
                throw CommandFailure(.dataError, "\(path) has \(apps.count) apps under Payload/, an .ipa has one")
            }
            source = .archive(archive, app)
            files = archive.names.filter { $0.hasPrefix(app) && !$0.hasSuffix("/") }.map {
                String($0.dropFirst(app.count))
            }
        }
    }

    /// `nil` if the app has no such file.
    func file(_ name: String) throws(CommandFailure) -> [UInt8]? {
        switch source {
        case .folder(let folder):
            guard files.contains(name) else { return nil }
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
                throw CommandFailure(.noInput, "cannot read \(folder)/\(name)")
            }
            return Array(data)
        case .archive(let archive, let app):
            do { return try archive.file(app + name, limit: AppBundle.largest) } catch {
                throw CommandFailure(.dataError, "\(path): \(error)")
            }
        }
    }

    /// `Payload/Name.app/` of a name inside it.
    private static func app(of name: String) -> String? {
        let parts = name.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "Payload", parts[1].hasSuffix(".app") else { return nil }
        return "\(parts[0])/\(parts[1])/"
    }

    private static func files(under folder: String, prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().flatMap { name in
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
            return isFolder
                ? files(under: "\(folder)/\(name)", prefix: "\(prefix)\(name)/") : ["\(prefix)\(name)"]
        }
    }
}
