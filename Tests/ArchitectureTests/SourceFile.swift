import TestSupport

/// One Swift file of the repository and what the laws ask of it.
struct SourceFile: CustomStringConvertible {
    let path: String
    let lines: [Substring]

    /// Without whole-line comments.
    var code: [Substring] { lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") } }

    init(_ path: String) throws {
        self.path = path
        lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    }

    var description: String { path }

    /// The folder under `Sources` or `Tests`.
    var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// Its name without the ending, which for tests is that of the suite.
    var stem: String { (path.split(separator: "/").last?.split(separator: ".").first).map(String.init) ?? "" }

    /// Modules named by its import lines.
    var imports: [String] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
                words[..<index].allSatisfy({ ["public", "package", "internal", "private", "@testable"].contains($0) })
            else { return nil }
            let name = words[
                index + 1 < words.count - 1 && Self.kinds.contains(words[index + 1]) ? index + 2 : index + 1]
            return String(name.prefix { $0 != "." })
        }
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "func", "protocol", "typealias", "var", "let",
    ]

    static func all(under folder: String) throws -> [SourceFile] {
        try Repository.files(under: folder, suffix: ".swift").map(SourceFile.init)
    }
}
