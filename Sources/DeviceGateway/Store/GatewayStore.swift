import Daemon
import Delivery
import Messages
import Postgres
import Storage

/// The gateway's statements, each one function of the schema. Every error is a problem: 503 when waiting may help.
struct GatewayStore: Sendable {
    let database: Database
    /// For a statement and the wait for a connection.
    let limit: Duration

    /// Serialization failures and deadlocks are tried again here: each call is one transaction of its own.
    func query(_ statement: Statement) async throws(Problem) -> Rows {
        var attempt = 1
        while true {
            do throws(PostgresError) {
                return try await database.query(statement, within: limit)
            } catch {
                if error.kind == .conflict && attempt < 4 {
                    attempt += 1
                    continue
                }
                throw Self.problem(error)
            }
        }
    }

    func row(_ statement: Statement) async throws(Problem) -> Row {
        let rows = try await query(statement)
        return try Self.read { () throws(PostgresError) in try rows.one() }
    }

    /// Reading columns fails only when program and schema do not belong together.
    static func read<Value>(_ body: () throws(PostgresError) -> Value) throws(Problem) -> Value {
        do throws(PostgresError) { return try body() } catch { throw problem(error) }
    }

    private static func problem(_ error: PostgresError) -> Problem {
        if error.isRetriable || error.isConfigurationFault {
            Log.warning("database refused or away", [.cause: .of(error)])
            return .unavailable
        }
        Log.error("statement failed", [.cause: .of(error)])
        return Problem(.internalError)
    }

    func deviceKey(of device: Identifier) async throws(Problem) -> (algorithm: String, bytes: [UInt8])? {
        let rows = try await query(
            "SELECT signing_algorithm, signing_key FROM delivery.device WHERE device_id = \(device)")
        guard let row = rows.first else { return nil }
        return try Self.read { () throws(PostgresError) in
            (try row.get("signing_algorithm", as: String.self), try row.get("signing_key", as: [UInt8].self))
        }
    }
}
