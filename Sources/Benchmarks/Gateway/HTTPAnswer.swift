/// As much of an HTTP/1.1 answer as a load generator has to know.
struct HTTPAnswer: Equatable {
    let status: Int
    /// Bytes of the head, and of the whole.
    let head: Int
    let length: Int

    /// Nil while the head is not whole, or if it has no `Content-Length`.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.headEnd(bytes) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let length = lines.lazy.map { $0.lowercased() }.first { $0.hasPrefix("content-length:") }
            .flatMap { line in Int(line.dropFirst("content-length:".count).filter { $0 != " " }) }
        guard let length else { return nil }
        self.status = status
        head = end
        self.length = end + length
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        var index = 3
        while index < bytes.count {
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D {
                return index + 1
            }
            index += 1
        }
        return nil
    }
}
