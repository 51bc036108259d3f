import CZip

/// A zip file, opened for reading.
public final class ZipArchive {
    private let archive: OpaquePointer
    /// As the archive spells them, with `/` between folders.
    public let names: [String]

    public init(path: String) throws(ArchiveError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
            throw ArchiveError(code == ZIP_ER_NOZIP ? "not a zip archive" : "cannot be opened as a zip archive")
        }
        self.archive = archive
        names = (0..<zip_get_num_entries(archive, 0)).compactMap { index in
            zip_get_name(archive, zip_uint64_t(index), 0).map { String(cString: $0) }
        }
    }

    deinit { zip_discard(archive) }

    /// `nil` if there is no such file; refuses one of more than `limit` bytes, whatever its header says.
    public func file(_ name: String, limit: Int) throws(ArchiveError) -> [UInt8]? {
        let index = zip_name_locate(archive, name, 0)
        guard index >= 0 else { return nil }
        guard let file = zip_fopen_index(archive, zip_uint64_t(index), 0) else {
            throw ArchiveError("\(name) is damaged or encrypted")
        }
        defer { zip_fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = zip_fread(file, &piece, zip_uint64_t(piece.count))
            guard count >= 0 else { throw ArchiveError("\(name) is damaged") }
            guard count > 0 else { return bytes }
            bytes += piece.prefix(Int(count))
            guard bytes.count <= limit else { throw ArchiveError("\(name) is larger than \(limit) bytes") }
        }
    }
}
