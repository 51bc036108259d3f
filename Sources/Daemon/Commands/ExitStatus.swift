/// How a process of this project ends, after `sysexits.h`, so that a supervisor can tell a bad setting from an outage.
public enum ExitStatus: Int32, Sendable {
    case success = 0
    /// Ended by its own judgement without a wrong input, for example a check that found differences.
    case failure = 1
    /// Something was lost, came too often or cannot be explained.
    case brokenPromise = 2
    /// Unknown command, option or argument.
    case usage = 64
    /// A message or file has the wrong content.
    case dataError = 65
    /// A file that was named cannot be read.
    case noInput = 66
    /// A host name does not resolve.
    case noHost = 68
    /// A server cannot be reached.
    case unavailable = 69
    /// A fault of this program.
    case software = 70
    /// Something of the operating system or of a server's set-up is missing: a table, a queue, a program.
    case systemFile = 72
    /// A file cannot be written.
    case cannotCreate = 73
    /// Reading or writing failed midway.
    case ioError = 74
    /// Worth trying again later.
    case temporary = 75
    /// The peer broke the protocol.
    case protocolError = 76
    /// Credentials were refused.
    case noPermission = 77
    /// A setting is missing or malformed.
    case configuration = 78
}
