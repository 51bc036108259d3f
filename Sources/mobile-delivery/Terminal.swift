import Daemon
import Glibc
import Operations

/// Standard input, output and error of a command that talks to a person.
enum Terminal {
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Colour only on a terminal, and not if NO_COLOR asks for none.
    static var style: Style {
        let wantsNone = ProcessEnvironment.current["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Style(isColoured: isOutput && !wantsNone, width: isOutput ? width : 80)
    }

    private static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// False when nobody reads any more.
    @discardableResult
    static func write(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

    static func writeLine(_ json: [UInt8]) -> Bool { write(String(decoding: json, as: UTF8.self) + "\n") }

    /// How far a long change has come, if somebody watches.
    static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        _ = write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    /// Asks whoever is at the keyboard; throws unless the answer is `yes`, or if nobody is there.
    static func confirm(_ question: String) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .usage, "\(question): nobody is there to confirm it; look with --dry-run, then add --yes")
        }
        _ = write("\(question). Type yes to go on: ", to: STDERR_FILENO)
        guard readLine() == "yes" else { throw CommandFailure(.failure, "not confirmed: nothing was changed") }
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            bytes = bytes.dropFirst(written)
        }
        return true
    }
}
