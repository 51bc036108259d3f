import CLinux
public import Daemon
import FoundationEssentials
import Glibc

/// A process that this one started, in a process group of its own so that a terminal's Ctrl-C reaches only us.
///
/// Whoever holds it calls `end()` once; that also collects the exit status, so that nothing stays behind as a zombie.
public actor ChildProcess {
    /// How a child ended.
    public enum Termination: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    public let name: String
    public nonisolated let identity: ProcessIdentity
    /// Where standard output and standard error go.
    public nonisolated let logPath: String
    private var termination: Termination?

    /// Starts it. `logPath` is appended to; `errorPath`, if given, gets standard error instead.
    public init(
        _ name: String, _ command: ProcessCommand, logPath: String, errorPath: String? = nil
    ) throws(CommandFailure) {
        self.name = name
        self.logPath = logPath
        let id = try Self.spawn(command, logPath: logPath, errorPath: errorPath)
        // It can't have been collected by anyone else, so it is there, if only as a zombie.
        identity = ProcessIdentity(of: id) ?? ProcessIdentity(unknown: id)
    }

    /// What it wrote so far.
    public nonisolated var log: String {
        String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
    }

    /// What it wrote last, for the one line that a failure has.
    public nonisolated var lastLine: String {
        log.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? "no output"
    }

    public nonisolated func signal(_ number: Int32) { identity.signal(number, group: true) }

    /// Waits until it has ended; nil after `timeout`.
    public func ended(within timeout: Duration) async -> Termination? {
        if let termination { return termination }
        guard await identity.waitForEnd(within: timeout) else { return nil }
        if let termination { return termination }
        var status: Int32 = 0
        guard waitpid(identity.id, &status, 0) == identity.id else { return termination }
        let result: Termination = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .signalled(status & 0x7F)
        termination = result
        return result
    }

    /// Waits for it to end by itself; ends it after `timeout`.
    public func end(after timeout: Duration) async -> Termination? {
        if let result = await ended(within: timeout) { return result }
        return await end(within: .seconds(1))
    }

    /// SIGTERM, then SIGKILL to the whole group after `grace`.
    @discardableResult
    public func end(within grace: Duration) async -> Termination? {
        if let termination { return termination }
        signal(SIGTERM)
        if let result = await ended(within: grace) { return result }
        signal(SIGKILL)
        return await ended(within: .seconds(5))
    }

    private static func spawn(
        _ command: ProcessCommand, logPath: String, errorPath: String?
    ) throws(CommandFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o640)
        if let errorPath {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorPath, O_WRONLY | O_CREAT | O_APPEND, 0o640)
        } else {
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }
        clinux_close_from(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let arguments = CStrings([command.program] + command.arguments)
        let environment = CStrings(command.environment.map { "\($0)=\($1)" })
        var id: pid_t = 0
        let failure = posix_spawn(&id, command.program, &actions, &attributes, arguments.pointers, environment.pointers)
        guard failure == 0 else {
            throw CommandFailure(
                .systemFile, "cannot start \(command.program): \(String(cString: strerror(failure))); is it installed?")
        }
        return id
    }
}

extension ProcessIdentity {
    /// A child that ended before its start time could be read: equal to no running process.
    fileprivate init(unknown id: Int32) {
        self.init(id: id, startedAt: 0)
    }
}

/// A null-terminated array of C strings that lives as long as the object.
private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

    deinit { for pointer in pointers { free(pointer) } }
}
