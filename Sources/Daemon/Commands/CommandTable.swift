import Glibc

/// The commands of one executable and the whole of its `main`.
public struct CommandTable: Sendable {
    public let program: String
    public let summary: String
    public let commands: [Command]

    public init(program: String, summary: String, commands: [Command]) {
        self.program = program
        self.summary = summary
        self.commands = commands
    }

    /// Runs what the command line asks for and ends the process; called by `main` with its arguments, the program's name
    /// first, and its environment.
    public func main(_ arguments: [String], environment: [String: String]) async -> Never {
        // A peer that closed its end is an error of that write, never the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let status = await ProcessEnvironment.$current.withValue(environment) {
            await run(Array(arguments.dropFirst()))
        }
        fflush(nil)
        // Not `exit`: handlers of C libraries would free what other threads, which nobody joins here, still use.
        _exit(status.rawValue)
    }

    func run(_ words: [String]) async -> ExitStatus {
        do {
            switch try ArgumentParser(commands: commands).parse(words) {
            case .help(let name):
                Self.write(help(for: name), to: STDOUT_FILENO)
            case .run(let name, let parsed):
                try await commands.first { $0.name == name }?.run(parsed)
            }
            return .success
        } catch let error as ArgumentError {
            complain(error.line(program: program))
            return .usage
        } catch let failure as CommandFailure {
            if !failure.line.isEmpty { complain(failure.line) }
            return failure.status
        } catch is CancellationError {
            complain("interrupted before it was done: run it again")
            return .temporary
        } catch {
            // No command should let such an error out; its text has no place for what to do.
            complain("\(error)")
            return .software
        }
    }

    private func complain(_ line: String) {
        let oneLine = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        Self.write("\(program): \(oneLine)\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
