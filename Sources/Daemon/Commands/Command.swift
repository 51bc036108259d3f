/// One command of an executable: its words, what it accepts and what runs.
public struct Command: Sendable {
    /// One or two words, for example `topology apply`.
    public let name: String
    /// One line for the overview.
    public let summary: String
    public let options: [CommandOption]
    /// Names of the positional arguments; all are required.
    public let arguments: [String]
    public let run: @Sendable (ParsedArguments) async throws -> Void

    public init(
        _ name: String, summary: String, options: [CommandOption] = [], arguments: [String] = [],
        run: @escaping @Sendable (ParsedArguments) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.options = options
        self.arguments = arguments
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map(String.init) }
}

/// One `--name` or `--name VALUE` that a command accepts.
public struct CommandOption: Equatable, Sendable {
    /// Without the dashes.
    public let name: String
    /// What stands for the value in the help; nil for a flag.
    public let value: String?
    public let summary: String
    public let isRequired: Bool

    public static func flag(_ name: String, _ summary: String) -> CommandOption {
        CommandOption(name: name, value: nil, summary: summary, isRequired: false)
    }

    public static func value(
        _ name: String, _ value: String, _ summary: String, isRequired: Bool = false
    ) -> CommandOption {
        CommandOption(name: name, value: value, summary: summary, isRequired: isRequired)
    }

    /// As it is typed: `--state FILE`.
    var usage: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }
}
