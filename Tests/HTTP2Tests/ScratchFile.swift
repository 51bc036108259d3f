import FoundationEssentials
import Glibc
import Testing

/// A file of the private temporary folder that lives as long as this value.
final class ScratchFile {
    let path: String

    init(_ text: String) throws {
        let folder = FileManager.default.temporaryDirectory.path
        var name = Array("\(folder)/mobile-delivery-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    deinit { unlink(path) }
}
