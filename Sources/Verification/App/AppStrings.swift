import AppArchive
import Daemon

/// The keys that the app translates, by language; "" stands for files outside any language's folder.
struct AppStrings: Equatable {
    private(set) var keys: [String: Set<String>] = [:]
    /// Files whose keys cannot be read.
    private(set) var unreadable: [String] = []

    init() {}

    init(_ bundle: AppBundle) throws(CommandFailure) {
        for name in bundle.files {
            let parts = name.split(separator: "/")
            guard let last = parts.last, parts.count <= 2 else { continue }
            let folder = parts.count == 2 ? parts[0] : ""
            guard folder.isEmpty || folder.hasSuffix(".lproj") else { continue }
            switch last {
            case "Localizable.strings", "Localizable.stringsdict":
                add(try bundle.file(name), of: String(folder.dropLast(".lproj".count)), name)
            case "Localizable.loctable":
                addTable(try bundle.file(name), name)
            default: continue
            }
        }
    }

    private mutating func add(_ bytes: [UInt8]?, of language: String, _ name: String) {
        guard let bytes, let found = try? PropertyList(parsing: bytes).members else {
            unreadable.append(name)
            return
        }
        keys[language, default: []].formUnion(found.keys)
    }

    /// All languages in one file.
    private mutating func addTable(_ bytes: [UInt8]?, _ name: String) {
        guard let bytes, let languages = try? PropertyList(parsing: bytes).members else {
            unreadable.append(name)
            return
        }
        for (language, entries) in languages where language != "LocProvenance" {
            keys[language, default: []].formUnion(entries.members?.keys.map { $0 } ?? [])
        }
    }
}
