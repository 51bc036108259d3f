import FoundationEssentials
import Glibc

/// A file that is gone afterwards.
func withTemporaryFile(_ text: String, _ body: (String) throws -> Void) throws {
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(folder)/daemon-tests-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    _ = text.withCString { write(descriptor, $0, text.utf8.count) }
    close(descriptor)
    try body(path)
}
