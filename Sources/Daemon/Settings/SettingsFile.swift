import CLinux
import Glibc

/// Reads small text files (secrets, credentials, certificates) whole.
public enum SettingsFile {
    /// A file as bytes; the failure names the path and the cause.
    public static func bytes(_ path: String, limit: Int = 1 << 20) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.noInput, "cannot read \(path): \(reason(clinux_errno()))")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if clinux_errno() == EINTR { continue }
                throw CommandFailure(.ioError, "cannot read \(path): \(reason(clinux_errno()))")
            }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else {
                throw CommandFailure(.dataError, "\(path) is larger than \(limit) bytes")
            }
        }
    }

    /// Text without the line break that editors put at its end.
    public static func text(_ path: String) throws(CommandFailure) -> String {
        guard var text = String(validating: try bytes(path), as: UTF8.self) else {
            throw CommandFailure(.dataError, "\(path) is not UTF-8 text")
        }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
