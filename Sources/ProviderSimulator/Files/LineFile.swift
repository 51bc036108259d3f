import Glibc

/// A file that only grows; `-` is standard output.
final class LineFile: Sendable {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(ScriptError) {
        self.path = path
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ScriptError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

    func append(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if errno == EINTR { continue }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
