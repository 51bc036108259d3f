import Glibc
import Synchronization

/// Writes JSON lines to standard output: constant messages, all data as metadata. Never a token, key, body or ticket.
public enum Log {
    public enum Level: Int, Sendable, Comparable, CaseIterable, CustomStringConvertible {
        case debug, info, warning, error

        public init?(_ text: String) {
            guard let level = Self.allCases.first(where: { $0.description == text }) else { return nil }
            self = level
        }

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        public var description: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// Data that every line of this task and its children carries.
    @TaskLocal public static var context: [LogKey: LogValue] = [:]
    /// Takes the lines of this task and its children instead of standard output: for tests.
    @TaskLocal public static var sink: (@Sendable (LogLine) -> Void)?

    private static let lowest = Atomic<Int>(Level.info.rawValue)
    private static let output = Mutex(())

    /// Lines below it are not written, in the whole process.
    public static func setLowestLevel(_ level: Level) { lowest.store(level.rawValue, ordering: .relaxed) }

    public static func debug(_ message: StaticString, _ metadata: @autoclosure () -> [LogKey: LogValue] = [:]) {
        write(.debug, message, metadata)
    }

    public static func info(_ message: StaticString, _ metadata: @autoclosure () -> [LogKey: LogValue] = [:]) {
        write(.info, message, metadata)
    }

    public static func warning(_ message: StaticString, _ metadata: @autoclosure () -> [LogKey: LogValue] = [:]) {
        write(.warning, message, metadata)
    }

    public static func error(_ message: StaticString, _ metadata: @autoclosure () -> [LogKey: LogValue] = [:]) {
        write(.error, message, metadata)
    }

    /// Adds data to every line written inside `body`.
    public static func with<Result>(
        _ metadata: [LogKey: LogValue], _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $context.withValue(context.merging(metadata) { _, new in new }, operation: body)
    }

    private static func write(_ level: Level, _ message: StaticString, _ metadata: () -> [LogKey: LogValue]) {
        guard level.rawValue >= lowest.load(ordering: .relaxed) || sink != nil else { return }
        let line = LogLine(
            level: level, message: "\(message)", metadata: context.merging(metadata()) { _, new in new },
            time: Instant.now())
        if let sink { return sink(line) }
        print(line.encoded())
    }

    private static func print(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        output.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
