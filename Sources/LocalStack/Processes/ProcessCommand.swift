/// What to start: program, arguments and the whole environment, nothing of which is inherited.
public struct ProcessCommand: Equatable, Sendable {
    /// Absolute path.
    public var program: String
    public var arguments: [String]
    public var environment: [String: String]

    public init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
    }

    /// The same, run by `account`.
    func run(by account: SystemAccount) -> ProcessCommand {
        guard case .other(_, let user, let group) = account else { return self }
        // Both setpriv and env become the program in the end, so that the number of the process stays. The folder is left
        // because it may be one that the account cannot read.
        return ProcessCommand(
            "/usr/bin/setpriv",
            ["--reuid=\(user)", "--regid=\(group)", "--init-groups", "--", "/usr/bin/env", "--chdir=/", program]
                + arguments,
            environment: environment)
    }
}
