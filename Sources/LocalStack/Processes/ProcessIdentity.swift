import FoundationEssentials
import Glibc

/// One process of this machine, told apart from a later one with the same number by its start time.
public struct ProcessIdentity: Codable, Hashable, Sendable {
    public let id: Int32
    /// Clock ticks between the machine's boot and the start of the process.
    public let startedAt: UInt64

    init(id: Int32, startedAt: UInt64) {
        self.id = id
        self.startedAt = startedAt
    }

    /// The process that has the number now; nil if there is none.
    public init?(of id: Int32) {
        guard id > 0, let startedAt = Self.startTime(of: id) else { return nil }
        self.id = id
        self.startedAt = startedAt
    }

    /// Whether it still runs; a process that ended and was not yet waited for does not.
    public var isRunning: Bool { Self.startTime(of: id) == startedAt }

    /// Signals the process, or its whole group if it leads one of its own.
    public func signal(_ number: Int32, group: Bool = false) {
        guard isRunning else { return }
        if group, getpgid(id) == id {
            kill(-id, number)
        } else {
            kill(id, number)
        }
    }

    /// Frees the slot of a child of ours that ended; nothing for any other process.
    func collect() { waitpid(id, nil, WNOHANG) }

    /// Field 22 of `/proc/<pid>/stat`.
    private static func startTime(of id: Int32) -> UInt64? {
        guard let fields = fields(of: id), !fields[0].hasPrefix("Z") else { return nil }
        return UInt64(fields[19])
    }

    /// Of `/proc/<pid>/stat` from the third field on: behind the name, which may hold blanks and brackets.
    static func fields(of id: Int32) -> [String]? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(id)/stat"),
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[bytes.index(after: end)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19 else { return nil }
        return fields.map { String(decoding: $0, as: UTF8.self) }
    }
}
