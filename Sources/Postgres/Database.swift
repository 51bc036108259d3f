/// A set of connections to one server that mends itself: the same calls as `Connection`, each on the connection with the
/// least to do. Connections are made at the first call and made again, with backoff, when they end.
///
/// A call waits for a connection until its deadline and then throws `.unavailable` with the last reason; a fault of
/// configuration (password, missing database) is thrown at once. A statement that was not sent is tried on another
/// connection; one that was sent is never repeated here.
public actor Database {
    public nonisolated let settings: ConnectionSettings
    private let reconnection: Reconnection
    private var slots: [Connection?]
    private var keepers: [Task<Void, Never>] = []
    private var waiters: [UInt64: CheckedContinuation<Result<Void, PostgresError>, Never>] = [:]
    private var lastWaiter: UInt64 = 0
    private var lastError: PostgresError?
    private var isClosed = false

    /// `connections` is how many are kept: statements share them, but each transaction needs one for itself.
    public init(_ settings: ConnectionSettings, connections: Int = 4, reconnection: Reconnection = Reconnection()) {
        precondition(connections > 0, "a database needs a connection")
        self.settings = settings
        self.reconnection = reconnection
        slots = Array(repeating: nil, count: connections)
    }

    public nonisolated func query(
        _ statement: Statement, within limit: Duration? = nil
    ) async throws(PostgresError) -> Rows {
        let deadline = ContinuousClock.now + (limit ?? settings.callTimeout)
        while true {
            let connection = try await connection(until: deadline)
            do {
                return try await connection.query(statement, within: deadline - .now)
            } catch  where error.kind == .closed && deadline > .now {
                continue
            }
        }
    }

    @discardableResult
    public nonisolated func execute(
        _ statement: Statement, within limit: Duration? = nil
    ) async throws(PostgresError) -> Int {
        try await query(statement, within: limit).affected
    }

    /// See `Connection.transaction`. Not repeated here, as only the caller knows whether it may be.
    public nonisolated(nonsending) func transaction<Value>(
        within limit: Duration? = nil, _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let connection = try await connection(until: .now + (limit ?? settings.callTimeout))
        return try await connection.transaction(within: limit, body)
    }

    public nonisolated func script(_ sql: String, within limit: Duration? = nil) async throws(PostgresError) {
        let connection = try await connection(until: .now + (limit ?? settings.callTimeout))
        try await connection.script(sql, within: limit)
    }

    /// Throws unless there is a connection within `limit`: for readiness, and for the first words of a service.
    public nonisolated func check(within limit: Duration) async throws(PostgresError) {
        _ = try await query("SELECT 1", within: limit)
    }

    /// True while at least one connection is up.
    public var isConnected: Bool { slots.contains { $0 != nil } }

    /// Why there is no connection, if there is none.
    public var fault: PostgresError? { isConnected ? nil : lastError }

    /// Closes every connection; later calls throw `.closed`. One that is being made meanwhile is closed as soon as it is.
    public func close() async {
        isClosed = true
        for keeper in keepers { keeper.cancel() }
        keepers = []
        for slot in slots { await slot?.close() }
        wakeWaiters(.failure(PostgresError(.closed, "the database was closed")))
    }

    // MARK: Connections

    /// The connection with the least to do; waits for one if there is none.
    private func connection(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Connection {
        start()
        let patience = min(deadline, .now + .seconds(1))
        while true {
            if isClosed { throw PostgresError(.closed, "the database was closed") }
            let open = slots.compactMap { $0 }
            if let least = open.min(by: { $0.currentLoad < $1.currentLoad }) {
                // Rather wait a little for one that is being made than long behind somebody's transaction.
                let isHopeful = least.isHeld && open.count < slots.count && patience > .now
                guard isHopeful else { return least }
                try await wait(until: patience).get()
                continue
            }
            if let lastError, lastError.isConfigurationFault { throw lastError }
            if deadline <= .now { throw unavailable }
            try await wait(until: deadline).get()
        }
    }

    private var unavailable: PostgresError {
        PostgresError(
            .unavailable, lastError?.message ?? "no connection to \(settings) within the deadline",
            sqlState: lastError?.sqlState)
    }

    private func wait(until deadline: ContinuousClock.Instant) async -> Result<Void, PostgresError> {
        lastWaiter += 1
        let id = lastWaiter
        let alarm = Task {
            try? await Task.sleep(until: deadline)
            self.wake(id)
        }
        defer { alarm.cancel() }
        return await withCheckedContinuation { waiters[id] = $0 }
    }

    private func wake(_ id: UInt64) { waiters.removeValue(forKey: id)?.resume(returning: .success(())) }

    private func wakeWaiters(_ result: Result<Void, PostgresError>) {
        for waiter in waiters.values { waiter.resume(returning: result) }
        waiters = [:]
    }

    private func start() {
        guard keepers.isEmpty, !isClosed else { return }
        keepers = slots.indices.map { slot in Task { await keep(slot) } }
    }

    /// Keeps one connection up until the database is closed.
    private func keep(_ slot: Int) async {
        var failures = 0
        while !isClosed {
            do {
                let connection = try await Connection.open(settings)
                if isClosed { return await connection.close() }
                failures = 0
                slots[slot] = connection
                lastError = nil
                wakeWaiters(.success(()))
                await connection.untilEnded()
                slots[slot] = nil
            } catch {
                lastError = error
                if error.isConfigurationFault { wakeWaiters(.failure(error)) }
                failures += 1
            }
            let pause = reconnection.delay(failures: failures, jitter: .random(in: 0...1))
            try? await Task.sleep(for: pause)
        }
    }
}

/// How long to wait before the next attempt to connect: 50 ms doubling to 5 s, the upper half of it random.
public struct Reconnection: Sendable {
    public var base: Duration = .milliseconds(50)
    public var cap: Duration = .seconds(5)

    public init() {}

    func delay(failures: Int, jitter: Double) -> Duration {
        guard failures > 0 else { return .zero }
        let full = min(cap, base * (1 << min(failures - 1, 16)))
        return full * (0.5 + jitter / 2)
    }
}
