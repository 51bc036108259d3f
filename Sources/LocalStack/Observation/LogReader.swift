import Glibc

/// Reads what another process appends to a file, by whole lines.
struct LogReader: Sendable {
    let path: String
    private var offset: UInt64 = 0
    private var rest: [UInt8] = []

    init(path: String) { self.path = path }

    /// Lines that were completed since the last call.
    mutating func newLines() -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = pread(descriptor, &chunk, chunk.count, off_t(offset)), count > 0 {
            offset += UInt64(count)
            rest += chunk[..<count]
        }
        var pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(pieces.removeLast())
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }
}
