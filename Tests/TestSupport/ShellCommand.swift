import Glibc

/// Other people's programs, run as a person would.
public enum ShellCommand {
    /// Runs `command` to its end and returns what it printed.
    @concurrent
    public static func output(of command: String) async -> String {
        guard let stream = popen(command, "r") else { return "" }
        defer { pclose(stream) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            if count == 0 { break }
            output.append(contentsOf: buffer[..<count])
        }
        return String(decoding: output, as: UTF8.self)
    }
}
