import FoundationEssentials

extension ProcessIdentity {
    /// In KiB; nil if the process is gone.
    public var residentMemory: Int? { Self.residentMemory(of: id) }

    /// In KiB, of a server that is many processes: what each has for itself, and once what they may share.
    public static func residentMemory(ofFamily family: [ProcessIdentity]) -> Int {
        var own = 0
        var shared = 0
        for process in family {
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(process.id)/status") else { continue }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            func size(_ name: String) -> Int {
                lines.first { $0.hasPrefix(name) }?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
                    .flatMap { Int($0) } ?? 0
            }
            own += size("RssAnon:")
            shared = max(shared, size("RssFile:") + size("RssShmem:"))
        }
        return own + shared
    }

    /// In KiB, of any process of this machine; nil if there is none.
    public static func residentMemory(of id: Int32) -> Int? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(id)/status") else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
