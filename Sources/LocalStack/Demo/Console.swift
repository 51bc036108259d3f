import Glibc

/// The demonstration's output: plain lines, coloured only for a person at a terminal.
public struct Console: Sendable {
    enum Colour: String {
        case dim = "2"
        case bold = "1"
        case green = "32"
        case red = "31"
        case cyan = "36"
    }

    let isTerminal: Bool

    public init(isTerminal: Bool) { self.isTerminal = isTerminal }

    func write(_ line: String) {
        var bytes = Array("\(line)\n".utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    func coloured(_ text: String, _ colour: Colour) -> String {
        isTerminal ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    func heading(_ text: String) { write("\n\(coloured(text, .bold))") }

    /// `text` filled with blanks to `width`.
    static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
