import AMQP
import Messages
import Postgres

/// One kind of message and how it gets into the database. Recording the same again must change nothing.
protocol Recording: Sendable {
    associatedtype Item: Sendable

    /// The queue it is read from; also its name in metrics.
    var queue: String { get }
    /// Most messages of one transaction.
    var batch: Int { get }

    func decode(_ delivery: AMQP.Delivery) throws(MessageError) -> Item
    /// All of them in one transaction, or none. It waits so long for a lock, and as the role says if that is nil.
    func record(_ items: [Item], lockWait: Duration?) async throws(RecordingError)
    /// Parts that can be recorded by themselves, for a message that can't be recorded whole.
    func parts(of item: Item) -> [Item]
    /// A message that can never be recorded: sees to it that it is not lost, and settles it. False if it was asked to stop
    /// before that; the message then stays in its queue.
    func bury(_ delivery: AMQP.Delivery, _ reason: BurialReason, on consumer: Consumer) async -> Bool
}

extension Recording {
    func parts(of item: Item) -> [Item] { [item] }

    func record(_ items: [Item]) async throws(RecordingError) { try await record(items, lockWait: nil) }
}

extension Database {
    /// One statement, which waits for locks as long as the role says, or only so long.
    nonisolated func query(
        _ statement: Statement, within limit: Duration, lockWait: Duration?
    ) async throws(PostgresError) -> Rows {
        guard let lockWait else { return try await query(statement, within: limit) }
        let milliseconds = max(1, Int64(lockWait / .milliseconds(1)))
        do {
            return try await transaction(within: limit) { transaction in
                try await transaction.execute("SELECT set_config('lock_timeout', \("\(milliseconds)"), true)")
                return try await transaction.query(statement)
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.connectionLost, "\(error)")
        }
    }
}

/// Why a batch was not recorded, as far as the loop acts on it.
enum RecordingError: Error, Equatable {
    /// Another transaction was in the way: the same again at once.
    case conflict
    /// Somebody holds a row of the batch for longer than it waited: the rest of the batch must not wait with it.
    case held
    /// Something in the batch is refused by the database and always will be.
    case poison(String)
    /// The database is away or not as it should be: nothing is wrong with the batch.
    case trouble(String)

    init(_ error: PostgresError) {
        switch error.kind {
        case .conflict: self = .conflict
        case .constraint: self = .poison(error.description)
        // A lock that was not to be had in time; deadlocks are conflicts already.
        case .server where error.sqlState == "55P03": self = .held
        case .server:
            // Data exceptions, what our functions raise, and values that are too large for something.
            let classes = ["21", "22", "54", "P0", "MD"]
            let isData = error.sqlState.map { state in classes.contains { state.hasPrefix($0) } } ?? false
            self = isData ? .poison(error.description) : .trouble(error.description)
        default: self = .trouble(error.description)
        }
    }
}

/// `md-reason` of a dead letter of the recorder, and the text for the log.
enum BurialReason: Equatable {
    case malformed(String)
    case unknownVersion(Int)
    case refused(String)

    init(_ error: MessageError) {
        switch error {
        case .malformed(let what): self = .malformed(what)
        case .unknownVersion(let version): self = .unknownVersion(version)
        }
    }

    var word: String {
        switch self {
        case .malformed: "malformed"
        case .unknownVersion: "unknown_version"
        case .refused: "refused"
        }
    }

    var text: String {
        switch self {
        case .malformed(let what): what
        case .unknownVersion(let version): "version \(version)"
        case .refused(let what): what
        }
    }
}
