public import Daemon
public import Postgres

/// Owns a process's `Database`: waits for it at the start, keeps the condition `database` true to what it sees, and
/// closes it last. Put it before the services that use the database.
///
/// A fault that waiting does not mend (password, missing database, missing table or right) ends the process with one
/// line if it shows at the first contact; later it is a reason not to be ready.
public struct DatabaseService: Service {
    public let database: Database
    private let condition: Readiness.Condition
    /// Tables without which this process can't work.
    private let tables: [String]
    private let interval: Duration

    public init(
        _ database: Database, readiness: Readiness, tables: [String] = ["delivery.due"],
        interval: Duration = .seconds(2)
    ) {
        self.database = database
        self.tables = tables
        self.interval = interval
        condition = readiness.condition("database", waitingFor: "waiting for PostgreSQL at \(database.settings)")
    }

    public var name: String { "database" }

    public func run() async throws {
        do {
            var isFirst = true
            repeat {
                do throws(PostgresError) {
                    try await look(isFirst: isFirst)
                    isFirst = false
                    condition.ready()
                } catch {
                    if isFirst, error.isConfigurationFault { throw CommandFailure(error) }
                    condition.notReady("\(error)")
                }
            } while await Shutdown.current.sleep(for: interval)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func look(isFirst: Bool) async throws(PostgresError) {
        guard isFirst else { return try await database.check(within: .seconds(5)) }
        let missing: [String] = try await database.query(
            """
            SELECT coalesce(array_agg(name), '{}') AS missing FROM unnest(\(tables)) name WHERE to_regclass(name) IS NULL
            """, within: .seconds(5)
        ).one()["missing"]
        if let first = missing.first {
            throw PostgresError(
                .missingObject,
                "table \(first) is missing in \(database.settings); run `mobile-delivery migrate` first")
        }
    }
}
