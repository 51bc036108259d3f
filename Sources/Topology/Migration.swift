import FoundationEssentials

/// One numbered SQL file of `topology/postgres/`.
public struct Migration: Sendable, Equatable {
    public let number: Int
    /// The file's name, for example `0001-tables.sql`.
    public let name: String
    public let sql: String

    /// Reads every `NNNN-words.sql` of a directory, in order of its number. Other files are an error, so that a misspelt
    /// name is not silently left out.
    public static func read(directory: String) throws(MigrationError) -> [Migration] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw .unreadable(directory)
        }
        var migrations: [Migration] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            guard let number = number(of: name) else { throw .misnamed("\(directory)/\(name)") }
            guard let bytes = FileManager.default.contents(atPath: "\(directory)/\(name)") else {
                throw .unreadable("\(directory)/\(name)")
            }
            if let other = migrations.last, other.number == number { throw .sameNumber(other.name, name) }
            migrations.append(Migration(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self)))
        }
        if migrations.isEmpty { throw .empty(directory) }
        return migrations
    }

    static func number(of name: String) -> Int? {
        let parts = name.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count == 4, name.hasSuffix(".sql") else { return nil }
        return Int(parts[0])
    }
}

/// Why the schema could not be brought up to date; `description` is one line that says what to do.
public enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable(String)
    case empty(String)
    case misnamed(String)
    case sameNumber(String, String)
    /// The file differs from what was applied.
    case changed(String)
    /// Applied before, not in the directory: an older checkout than the database.
    case vanished(String)
    case refused(String, reason: String)
    /// A table that the file changes was in use for too long, every time.
    case locked(String)
    case forbidden(String)
    case unavailable(String)

    public var description: String {
        switch self {
        case .unreadable(let path):
            "can't read \(path): set MOBILE_DELIVERY_TOPOLOGY_DIRECTORY to the topology directory"
        case .empty(let path):
            "no migration in \(path): set MOBILE_DELIVERY_TOPOLOGY_DIRECTORY to the topology directory"
        case .misnamed(let path): "\(path) is not named NNNN-words.sql: rename or remove it"
        case .sameNumber(let one, let other): "\(one) and \(other) have the same number: renumber one of them"
        case .changed(let name):
            "\(name) was applied with another content: restore the file and put the change into a new one"
        case .vanished(let name):
            "\(name) was applied to this database but is not in the directory: use the version that has it"
        case .refused(let name, let reason): "\(name) was refused and taken back: \(reason)"
        case .locked(let name):
            "\(name) found a table locked whenever it was tried and was taken back: look for long transactions "
                + "(`mobile-delivery status` names the oldest), then run it again"
        case .forbidden(let reason), .unavailable(let reason): reason
        }
    }
}
