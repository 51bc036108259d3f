import FoundationEssentials

/// The files of the clone that the tests were built from.
public enum Repository {
    public static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    public static func text(_ path: String) throws -> String {
        try String(decoding: Data(contentsOf: URL(filePath: "\(root)/\(path)")), as: UTF8.self)
    }

    /// Every file under `folder` whose name ends with `suffix`, relative to the root, sorted. Nothing hidden.
    public static func files(under folder: String, suffix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.filter { !$0.hasPrefix(".") }.flatMap { name in
            let path = "\(folder)/\(name)"
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
            return isFolder ? files(under: path, suffix: suffix) : name.hasSuffix(suffix) ? [path] : []
        }.sorted()
    }
}
