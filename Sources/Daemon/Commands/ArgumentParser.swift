/// What a command line asks for.
enum Invocation: Equatable {
    /// `help`, `--help` or nothing at all; nil for the overview, else the command's name.
    case help(String?)
    case run(String, ParsedArguments)
}

/// Why a command line cannot be understood.
enum ArgumentError: Error, Equatable {
    case unknownCommand(String)
    case unknownOption(String, command: String)
    case missingValue(CommandOption, command: String)
    case unexpectedValue(String, command: String)
    case missingOption(CommandOption, command: String)
    case missingArgument(String, command: String)
    case surplusArgument(String, command: String)
}

/// Reads a command line against a list of commands. Pure: it prints nothing and ends nothing.
struct ArgumentParser {
    let commands: [Command]

    /// `words` is the command line without the program's name. `--help` counts only when all the rest is valid, so that
    /// `anything --help` also proves that each option before it exists.
    func parse(_ words: [String]) throws(ArgumentError) -> Invocation {
        var rest = words[...]
        guard let first = rest.first, !Self.isHelp(first) else {
            guard words.count > 1 else { return .help(nil) }
            return .help(try command(in: words.dropFirst()).name)
        }
        let command = try command(in: rest)
        rest = rest.dropFirst(command.words.count)
        var parsed = ParsedArguments()
        var wantsHelp = false
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                wantsHelp = true
            } else if word.hasPrefix("-"), word != "-" {
                try readOption(word, of: command, from: &rest, into: &parsed)
            } else if parsed.positional.count < command.arguments.count {
                parsed.positional.append(word)
            } else {
                throw .surplusArgument(word, command: command.name)
            }
        }
        if wantsHelp { return .help(command.name) }
        for option in command.options where option.isRequired && !parsed.has(option.name) {
            throw .missingOption(option, command: command.name)
        }
        if parsed.positional.count < command.arguments.count {
            throw .missingArgument(command.arguments[parsed.positional.count], command: command.name)
        }
        return .run(command.name, parsed)
    }

    private func readOption(
        _ word: String, of command: Command, from rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
    ) throws(ArgumentError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard word.hasPrefix("--"), let option = command.options.first(where: { $0.name == parts[0].dropFirst(2) })
        else { throw .unknownOption(String(parts[0]), command: command.name) }
        if option.value == nil {
            if parts.count > 1 { throw .unexpectedValue(option.name, command: command.name) }
            parsed.add("", to: option.name)
        } else if parts.count > 1 {
            parsed.add(String(parts[1]), to: option.name)
        } else if let value = rest.popFirst() {
            parsed.add(value, to: option.name)
        } else {
            throw .missingValue(option, command: command.name)
        }
    }

    /// The command with the most words that `words` begins with.
    private func command(in words: ArraySlice<String>) throws(ArgumentError) -> Command {
        let matches = commands.filter { words.starts(with: $0.words) }
        guard let longest = matches.max(by: { $0.words.count < $1.words.count }) else {
            let group = commands.contains { $0.words.first == words.first && $0.words.count > 1 }
            throw .unknownCommand(words.prefix(group ? 2 : 1).joined(separator: " "))
        }
        return longest
    }

    private static func isHelp(_ word: String) -> Bool { ["help", "--help", "-h"].contains(word) }
}
