import CPostgres
import Reactor
import Synchronization

/// One connection to the server, on a thread of its own, with many statements in flight at once.
///
/// Statements of different tasks are sent as they come, each with its own sync point, so that an error of one does not
/// abort its neighbours; a transaction has the connection for itself. After a deadline or an error of the connection
/// it is condemned: it takes nothing new and ends. `Database` replaces such connections.
public actor Connection {
    let reactor: ReactorThread
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    let settings: ConnectionSettings
    var phase = Phase.idle
    var handle: ConnectionHandle?
    /// What the socket became ready for since the last turn.
    var ready: Readiness = []
    var watched: (descriptor: Int32, interest: Readiness)?

    var turnstile = Turnstile()
    var waiting: [UInt64: Waiter] = [:]
    /// Sent and unanswered, in the order in which the server answers.
    var inFlight: [Request] = []
    var answered = 0
    var answer: Result<Rows, PostgresError>?
    var script: Script?
    var earliestDeadline: ContinuousClock.Instant?
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var lastID: UInt64 = 0

    /// Statements in flight and waiting, for whoever chooses among connections.
    nonisolated let load = Atomic<Int>(0)

    enum Phase {
        case idle
        case connecting(CheckedContinuation<PostgresError?, Never>, until: ContinuousClock.Instant)
        case open
        /// Takes nothing new; what is in flight may still be answered until then.
        case condemned(PostgresError, until: ContinuousClock.Instant)
        case closed(PostgresError)
    }

    struct Request {
        let statement: Statement
        let deadline: ContinuousClock.Instant
        /// Taken when it was answered before the server answered.
        var continuation: CheckedContinuation<Result<Rows, PostgresError>, Never>?
    }

    enum Waiter {
        case request(Request)
        case exclusive(CheckedContinuation<PostgresError?, Never>, deadline: ContinuousClock.Instant)

        var deadline: ContinuousClock.Instant {
            switch self {
            case .request(let request): request.deadline
            case .exclusive(_, let deadline): deadline
            }
        }
    }

    private init(settings: ConnectionSettings) {
        self.settings = settings
        reactor = ReactorThread(name: "postgres")
    }

    deinit { reactor.stop() }

    /// Connects. Throws `.unreachable`, `.authenticationFailed`, `.missingDatabase` or another word of the server.
    public static func open(_ settings: ConnectionSettings) async throws(PostgresError) -> Connection {
        let connection = Connection(settings: settings)
        if let error = await connection.connect() { throw error }
        return connection
    }

    /// Sends one statement and returns its rows. Other tasks' statements may be in flight before and behind it.
    public func query(_ statement: Statement, within limit: Duration? = nil) async throws(PostgresError) -> Rows {
        try await perform(statement, deadline: deadline(limit)).get()
    }

    /// The same for a statement whose rows don't matter; returns how many it touched.
    @discardableResult
    public func execute(_ statement: Statement, within limit: Duration? = nil) async throws(PostgresError) -> Int {
        try await query(statement, within: limit).affected
    }

    /// Ends the connection at once; what is in flight fails with `.connectionLost`, what waits with `.closed`.
    public func close() { end(PostgresError(.closed, "the connection was closed")) }

    /// False once it takes nothing new.
    public var isOpen: Bool { if case .open = phase { true } else { false } }

    /// Returns once the connection takes nothing new, for whatever reason.
    func untilEnded() async {
        if case .closed = phase { return }
        if case .condemned = phase { return }
        await withCheckedContinuation { endWaiters.append($0) }
    }

    func deadline(_ limit: Duration?) -> ContinuousClock.Instant { .now + (limit ?? settings.callTimeout) }

    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Why nothing can be sent, or nil.
    var refusal: PostgresError? {
        switch phase {
        case .open: nil
        case .idle, .connecting: PostgresError(.closed, "the connection is not open yet")
        case .condemned(let error, _), .closed(let error): PostgresError(.closed, error.message)
        }
    }

    private func perform(
        _ statement: Statement, deadline: ContinuousClock.Instant
    ) async -> Result<Rows, PostgresError> {
        if let refusal { return .failure(refusal) }
        let id = nextID()
        return await withCheckedContinuation { continuation in
            let request = Request(statement: statement, deadline: deadline, continuation: continuation)
            if turnstile.arrived(shared: id) {
                send(request)
            } else {
                wait(id, .request(request))
            }
        }
    }
}

extension Connection {
    /// What a transaction adds to the load: more than any number of statements that may be in flight.
    static let heldLoad = 1_000_000

    nonisolated var currentLoad: Int { load.load(ordering: .relaxed) }
    /// True while a transaction has the connection for itself.
    nonisolated var isHeld: Bool { currentLoad >= Self.heldLoad }
}
