/// The statements of one transaction: only through this value, and only until its closure returns.
public struct Transaction: Sendable {
    let connection: Connection
    let key: UInt64
    let limit: Duration?

    public func query(_ statement: Statement, within limit: Duration? = nil) async throws(PostgresError) -> Rows {
        let deadline = await connection.deadline(limit ?? self.limit)
        return try await connection.perform(statement, holding: key, deadline: deadline).get()
    }

    @discardableResult
    public func execute(_ statement: Statement, within limit: Duration? = nil) async throws(PostgresError) -> Int {
        try await query(statement, within: limit).affected
    }

    /// Several statements without binds, inside this transaction.
    public func script(_ sql: String, within limit: Duration? = nil) async throws(PostgresError) {
        let deadline = await connection.deadline(limit ?? self.limit)
        if let error = await connection.runScript(sql, deadline: deadline) { throw error }
    }
}

extension Connection {
    /// `BEGIN`, `body`, `COMMIT`; `ROLLBACK` if `body` throws. Other tasks' statements wait meanwhile, first come, first
    /// served. `limit` is that of each statement and of the wait.
    ///
    /// An error of kind `.connectionLost` or `.deadlineExceeded` may mean that the commit took effect: what is done in a
    /// transaction must bear being done again. A transaction that the server had aborted throws even if `body` does not.
    public nonisolated(nonsending) func transaction<Value>(
        within limit: Duration? = nil, _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let key = try await enter(deadline: deadline(limit)).get()
        let transaction = Transaction(connection: self, key: key, limit: limit)
        do {
            try await transaction.execute("BEGIN")
            let value = try await body(transaction)
            try await commit(transaction)
            await leave(key)
            return value
        } catch {
            await rollBack(transaction)
            await leave(key)
            throw error
        }
    }

    private func commit(_ transaction: Transaction) async throws(PostgresError) {
        let rows = try await transaction.query("COMMIT")
        if rows.command == "ROLLBACK" {
            throw PostgresError(.server, "the transaction was aborted by an earlier error", sqlState: "25P02")
        }
    }

    /// After a failed COMMIT there is nothing to roll back; the server then only warns.
    private func rollBack(_ transaction: Transaction) async {
        guard isOpen else { return }
        do {
            try await transaction.execute("ROLLBACK")
        } catch {
            condemn(PostgresError(.connectionLost, "a transaction could not be rolled back"), grace: .zero)
        }
    }
}
