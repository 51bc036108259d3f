/// Body format 1: the document, four bytes of length before it, zeros behind it up to a power of two from 1 KiB.
public enum JobBody {
    public static let format = 1
    /// A body may have 256 KiB with nonce and tag, so its largest bucket is 128 KiB.
    public static let longestDocument = 128 * 1024 - 4

    /// `nil` for a document that is too long.
    public static func pad(_ document: [UInt8]) -> [UInt8]? {
        guard document.count <= longestDocument else { return nil }
        var bucket = 1024
        while bucket < document.count + 4 { bucket *= 2 }
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: document.count >> $0) }
        return length + document + [UInt8](repeating: 0, count: bucket - 4 - document.count)
    }

    /// `nil` unless `pad` could have made it: one document has one form only.
    public static func unpad(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 1024 else { return nil }
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - 4 else { return nil }
        let document = Array(bytes[4..<4 + length])
        guard let padded = pad(document), padded == bytes else { return nil }
        return document
    }
}
