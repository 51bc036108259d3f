/// What a call to the server ended with when it did not end well. `description` is one line that is safe to log: it has
/// no password and no bound value.
public struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened, as far as a caller acts on it.
    public enum Kind: Sendable, Equatable {
        /// The URL can't be understood. Nothing was tried.
        case malformedURL
        /// No connection: refused, timed out, no such host.
        case unreachable
        /// The server refused user or password.
        case authenticationFailed
        case missingDatabase
        /// A table, function, column or schema is not there: usually a migration that did not run.
        case missingObject
        case missingRight
        /// Serialization failure or deadlock: the same transaction may succeed when tried again.
        case conflict
        /// A constraint was violated.
        case constraint
        /// The deadline passed. Whether the statement had an effect is unknown.
        case deadlineExceeded
        /// The connection went away after the statement was sent. Whether it had an effect is unknown.
        case connectionLost
        /// The connection was closed before the statement was sent: it had no effect.
        case closed
        /// No connection could be had within the deadline: the statement had no effect.
        case unavailable
        /// A value that came back is not of the type that was asked for.
        case decoding
        /// Anything else that the server said; `sqlState` tells.
        case server
    }

    public let kind: Kind
    /// Five characters, as the server sent them.
    public let sqlState: String?
    /// What was said, without values.
    public let message: String
    /// Where in the statement, in characters from 1, if the server pointed at something.
    public let position: Int?
    /// What a function raised beside its message; may hold values, so it is not in `description`.
    public let detail: String?

    public init(
        _ kind: Kind, _ message: String, sqlState: String? = nil, position: Int? = nil, detail: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
        self.position = position
        self.detail = detail
    }

    /// True if the same call may succeed later without anybody repairing something. Says nothing about whether the first
    /// one had an effect.
    public var isRetriable: Bool {
        switch kind {
        case .unreachable, .conflict, .deadlineExceeded, .connectionLost, .closed, .unavailable: true
        case .malformedURL, .authenticationFailed, .missingDatabase, .missingObject, .missingRight, .constraint,
            .decoding:
            false
        case .server: sqlState.map(Self.isTransient) ?? false
        }
    }

    /// True if waiting does not help: somebody has to change the configuration or the server first.
    public var isConfigurationFault: Bool {
        switch kind {
        case .malformedURL, .authenticationFailed, .missingDatabase, .missingObject, .missingRight: true
        default: false
        }
    }

    public var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
