import Postgres

/// Holds relays in a statement, before it commits, so that they can be struck exactly there.
struct StepGate: Sendable {
    enum Step: Int32, Sendable {
        case claiming = 1
        case confirming = 2
    }

    private let step: Step
    private let connection: Connection

    /// From now on whoever comes to the step waits.
    static func close(_ step: Step, _ settings: ConnectionSettings) async throws(PostgresError) -> StepGate {
        let connection = try await Connection.open(settings)
        do {
            try await connection.execute("SELECT pg_advisory_lock(\(LeaseAudit.gates), \(step.rawValue))")
        } catch {
            await connection.close()
            throw error
        }
        return StepGate(step: step, connection: connection)
    }

    /// The relay that waits at it, if one does.
    func waiter() async throws(PostgresError) -> String? {
        try await connection.query(
            """
            SELECT a.application_name AS relay FROM pg_locks l JOIN pg_stat_activity a USING (pid)
             WHERE l.locktype = 'advisory' AND NOT l.granted AND l.classid = \(LeaseAudit.gates)::bigint::oid
               AND l.objid = \(step.rawValue)::bigint::oid LIMIT 1
            """
        ).first.map { row throws(PostgresError) in try row["relay"] }
    }

    func open() async { await connection.close() }
}
