/// The end of a command that its user can mend: one line that says what is wrong, where, and what to do.
///
/// Thrown by commands and services; `CommandTable` prints `line` on standard error and exits with `status`.
public struct CommandFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public let status: ExitStatus
    /// Without a line break: what, where, what to do.
    public let line: String

    public init(_ status: ExitStatus, _ line: String) {
        self.status = status
        self.line = line.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    public var description: String { line }
}
