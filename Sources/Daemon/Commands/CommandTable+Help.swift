extension CommandTable {
    /// The overview, or the page of one command.
    func help(for name: String?) -> String {
        guard let command = commands.first(where: { $0.name == name }) else { return overview }
        var lines = ["usage: \(usage(of: command))", "", command.summary]
        if !command.options.isEmpty {
            lines += ["", "options:"] + Self.columns(command.options.map { ($0.usage, $0.summary) })
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var overview: String {
        let lines =
            ["usage: \(program) COMMAND [OPTIONS]", "", summary, "", "commands:"]
            + Self.columns(commands.map { ($0.name, $0.summary) })
            + ["", "`\(program) COMMAND --help` explains one."]
        return lines.joined(separator: "\n") + "\n"
    }

    private func usage(of command: Command) -> String {
        let options = command.options.map { $0.isRequired ? $0.usage : "[\($0.usage)]" }
        let arguments = command.arguments.map { "<\($0)>" }
        return ([program, command.name] + options + arguments).joined(separator: " ")
    }

    private static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
    }
}
