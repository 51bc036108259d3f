extension ArgumentError {
    /// The one line on standard error: what, where, what to do.
    func line(program: String) -> String {
        switch self {
        case .unknownCommand(let word):
            "unknown command '\(word)': `\(program) help` lists the commands"
        case .unknownOption(let word, let command):
            "unknown option '\(word)' of \(command): `\(program) \(command) --help` lists its options"
        case .missingValue(let option, let command):
            "option --\(option.name) of \(command) needs a value: \(option.usage)"
        case .unexpectedValue(let option, let command):
            "option --\(option) of \(command) takes no value: write --\(option)"
        case .missingOption(let option, let command):
            "\(command) needs \(option.usage) (\(option.summary))"
        case .missingArgument(let argument, let command):
            "\(command) needs <\(argument)>: see `\(program) \(command) --help`"
        case .surplusArgument(let word, let command):
            "unexpected argument '\(word)' of \(command): see `\(program) \(command) --help`"
        }
    }
}
