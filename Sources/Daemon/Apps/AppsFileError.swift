/// Everything that is wrong with an apps file, each with app and field.
public struct AppsFileError: Error, Equatable, CustomStringConvertible {
    public let path: String
    public let problems: [String]

    public var description: String { "apps file \(path): \(problems.joined(separator: "; "))" }

    /// What a command ends with.
    public var failure: CommandFailure { CommandFailure(.configuration, description) }
}
