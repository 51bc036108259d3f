import FoundationEssentials
import Glibc

/// A file of the private temporary folder that lives as long as this value.
public final class ScratchFile {
    public let path: String

    public init(_ text: String) {
        let folder = FileManager.default.temporaryDirectory.path
        var name = Array("\(folder)/mobile-delivery-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        precondition(write(descriptor, bytes, bytes.count) == bytes.count, "no room for \(path)")
        close(descriptor)
    }

    deinit { unlink(path) }
}
