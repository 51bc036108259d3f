public import Postgres

/// Brings a database up to the numbered files. Each file is one transaction that takes the same lock first, so that any
/// number of processes may migrate at once, also behind a transaction pooler; what was applied is recorded with its
/// checksum in `public.delivery_migrations`.
///
/// On a live system a statement that waits for a lock makes everybody behind it wait, too. So no file waits longer than
/// `lockLimit`: it is taken back, the queue goes on, and it is tried again after a pause.
public struct Migrations: Sendable {
    public let migrations: [Migration]
    /// Longest time that one file may take, the wait for another process included.
    public var limit: Duration = .seconds(600)
    /// Longest wait for a lock, and so the longest that commits wait because of a file that waits.
    public var lockLimit: Duration = .seconds(1)
    /// How often a file that met a lock is tried, and the pause between.
    public var lockAttempts = 60
    public var lockPause: Duration = .seconds(2)

    public init(directory: String) throws(MigrationError) { migrations = try Migration.read(directory: directory) }
    public init(_ migrations: [Migration]) { self.migrations = migrations }

    /// Applies what is missing and returns it. Nothing is changed if an applied file differs or is gone.
    public func apply(on connection: Connection) async throws(MigrationError) -> [Migration] {
        try await prepare(connection)
        try await check(connection)
        var applied: [Migration] = []
        for migration in migrations where try await applyPatiently(migration, on: connection) {
            applied.append(migration)
        }
        return applied
    }

    private func applyPatiently(_ migration: Migration, on connection: Connection) async throws(MigrationError) -> Bool
    {
        for _ in 1..<max(1, lockAttempts) {
            do {
                return try await apply(migration, on: connection)
            } catch {
                guard case .locked = error else { throw error }
                try? await Task.sleep(for: lockPause)
            }
        }
        return try await apply(migration, on: connection)
    }

    /// Files that are not applied yet; throws if an applied one differs or is gone.
    public func pending(on connection: Connection) async throws(MigrationError) -> [Migration] {
        try await prepare(connection)
        let known = try await check(connection)
        return migrations.filter { !known.contains($0.number) }
    }

    private func prepare(_ connection: Connection) async throws(MigrationError) {
        try await transaction(on: connection, naming: "public.delivery_migrations") { transaction in
            try await transaction.script(
                """
                CREATE TABLE IF NOT EXISTS public.delivery_migrations (
                    number      integer PRIMARY KEY,
                    name        text NOT NULL,
                    checksum    bytea NOT NULL,
                    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp()
                );
                """)
        }
    }

    @discardableResult
    private func check(_ connection: Connection) async throws(MigrationError) -> Set<Int> {
        let mine = Dictionary(uniqueKeysWithValues: migrations.map { ($0.number, $0) })
        let rows: Rows
        do {
            rows = try await connection.query(
                """
                SELECT m.number, m.name, m.checksum = sha256(convert_to(file.sql, 'UTF8')) AS same
                  FROM public.delivery_migrations m
                  LEFT JOIN unnest(\(migrations.map(\.number))::int[], \(migrations.map(\.sql))) file (number, sql)
                    USING (number)
                 ORDER BY m.number
                """)
            var known: Set<Int> = []
            for row in rows {
                let number: Int = try row["number"]
                guard mine[number] != nil else { throw MigrationError.vanished(try row["name"]) }
                guard try row.get("same", as: Bool.self) else { throw MigrationError.changed(try row["name"]) }
                known.insert(number)
            }
            return known
        } catch let error as MigrationError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
    }

    private func apply(_ migration: Migration, on connection: Connection) async throws(MigrationError) -> Bool {
        try await transaction(on: connection, naming: migration.name) { transaction in
            let known = try await transaction.query(
                "SELECT FROM public.delivery_migrations WHERE number = \(migration.number)")
            guard known.isEmpty else { return false }
            do {
                try await transaction.execute(
                    "SELECT set_config('lock_timeout', \(String(lockLimit.wholeMicroseconds / 1000)), true)")
                try await transaction.script(migration.sql, within: limit)
            } catch let error as PostgresError where error.sqlState == "55P03" {
                throw MigrationError.locked(migration.name)
            } catch let error as PostgresError {
                throw MigrationError.refused(migration.name, reason: migration.place(of: error) + "\(error)")
            }
            try await transaction.execute(
                """
                INSERT INTO public.delivery_migrations (number, name, checksum)
                VALUES (\(migration.number), \(migration.name), sha256(convert_to(\(migration.sql), 'UTF8')))
                """)
            return true
        }
    }

    /// Any 64 bits that nobody else of the cluster uses as the key of an advisory lock.
    private static let lock: Int64 = 0x6d64_6d69_6772_6174

    private func transaction<Value: Sendable>(
        on connection: Connection, naming name: String, _ body: (Transaction) async throws -> Value
    ) async throws(MigrationError) -> Value {
        do {
            return try await connection.transaction(within: limit) { transaction in
                try await transaction.execute("SELECT pg_advisory_xact_lock(\(Self.lock))")
                return try await body(transaction)
            }
        } catch let error as MigrationError {
            throw error
        } catch let error as PostgresError where error.isRetriable {
            throw .unavailable("\(name): \(error)")
        } catch let error as PostgresError where error.kind == .missingRight {
            throw .forbidden("\(name): \(error)")
        } catch {
            throw .refused(name, reason: "\(error)")
        }
    }
}

extension Migration {
    /// `line 12: ` if the server said where.
    func place(of error: PostgresError) -> String {
        guard let position = error.position else { return "" }
        let line = sql.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" } + 1
        return "line \(line): "
    }
}
