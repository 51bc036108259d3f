/// Name of one piece of data on a log line; each target adds its own in an extension.
public struct LogKey: Hashable, Sendable, ExpressibleByStringLiteral, Comparable {
    public let name: String

    public init(_ name: String) { self.name = name }
    public init(stringLiteral value: String) { name = value }

    public static func < (left: LogKey, right: LogKey) -> Bool { left.name < right.name }

    public static let address: LogKey = "address"
    public static let attempt: LogKey = "attempt"
    public static let cause: LogKey = "cause"
    public static let command: LogKey = "command"
    public static let device: LogKey = "device"
    public static let entry: LogKey = "entry"
    public static let instance: LogKey = "instance"
    public static let job: LogKey = "job"
    public static let provider: LogKey = "provider"
    public static let queue: LogKey = "queue"
    public static let service: LogKey = "service"
    public static let setting: LogKey = "setting"
    public static let signal: LogKey = "signal"
    /// What is waited for.
    public static let waitingFor: LogKey = "waiting.for"
}
