import FoundationEssentials
import LocalStack

/// Other people's programs, run as a person would. No thread waits for them: the server that they talk to may need it.
public enum ShellCommand {
    /// Runs `command` to its end and returns what it printed.
    public static func output(of command: String) async throws -> String {
        let file = ScratchFile("")
        let child = try ChildProcess(
            "sh", ProcessCommand("/bin/sh", ["-c", command], environment: ["PATH": "/usr/bin:/bin"]),
            logPath: file.path, errorPath: "/dev/null")
        _ = await child.end(after: .seconds(120))
        return child.log
    }
}
