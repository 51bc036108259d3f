import FoundationEssentials

extension ProcessIdentity {
    /// In KiB; nil if the process is gone.
    public var residentMemory: Int? { Self.residentMemory(of: id) }

    /// In KiB, of any process of this machine; nil if there is none.
    public static func residentMemory(of id: Int32) -> Int? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(id)/status") else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
