import Delivery
public import Postgres
import Storage

/// Reads what the database knows of the outbox; counts are shared with every other watcher.
public struct StatusReading: Sendable {
    private let database: Database
    /// A count that is younger is not made again.
    private let countEvery: Duration
    private let limit = Duration.seconds(20)

    public init(_ database: Database, countEvery: Duration) {
        self.database = database
        self.countEvery = countEvery
    }

    public func read() async throws(PostgresError) -> OutboxStatus {
        var status = try await sizes()
        let deferrals = try await deferrals()
        for index in status.lines.indices {
            status.lines[index].deferrals = deferrals[status.lines[index].number] ?? []
        }
        status.deadLetters = try await deadLetters()
        status.leases = try await leases()
        status.sessions = try await sessions()
        status.health = try await health()
        return status
    }

    private func sizes() async throws(PostgresError) -> OutboxStatus {
        let rows = try await database.query(
            """
            SELECT s.*, clock_timestamp() AS now, r.provider, r.environment, r.app, r.hand_paused, r.hand_by,
                   r.hand_since, r.hand_reason, r.seen_paused, r.seen_reason, r.seen_since, r.seen_probe_at,
                   r.seen_instance
            FROM delivery.outbox_sizes(\(countEvery)) s JOIN delivery.route_state r USING (route)
            """, within: limit)
        guard let first = rows.first else {
            throw PostgresError(.missingObject, "route_state is empty; run `mobile-delivery migrate` first")
        }
        var lines: [RouteLine] = []
        for row in rows {
            var route: Route?
            if try row["route"] as Int16 != RouteTable.events {
                guard let provider = Provider(rawValue: try row["provider"]) else { continue }
                route = Route(provider: provider, environment: try row["environment"], app: try row["app"])
            }
            lines.append(try line(row, route))
        }
        lines.sort { ($0.route == nil ? "" : $0.name) < ($1.route == nil ? "" : $1.name) }
        return OutboxStatus(
            now: try first["now"], countAge: try first["age"], countTook: try first["took"], lines: lines)
    }

    private func line(_ row: Row, _ route: Route?) throws(PostgresError) -> RouteLine {
        var line = RouteLine(route, number: try row["route"])
        line.due = Int(try row["due"] as Int64)
        line.leased = Int(try row["leased"] as Int64)
        line.awaiting = Int(try row["awaiting"] as Int64)
        line.lapsed = Int(try row["lapsed"] as Int64)
        line.deferred = Int(try row["deferred"] as Int64)
        line.oldestAge = try row["oldest_age"]
        line.acceptedRate = try row["accepted_rate"]
        line.hand.isPaused = try row["hand_paused"]
        line.hand.by = try row["hand_by"]
        line.hand.since = try row["hand_since"]
        line.hand.reason = try row["hand_reason"]
        line.seen.isPaused = try row["seen_paused"]
        line.seen.reason = try row["seen_reason"]
        line.seen.since = try row["seen_since"]
        line.seen.lastProbe = try row["seen_probe_at"]
        line.seen.instance = try row["seen_instance"]
        return line
    }

    private func deferrals() async throws(PostgresError) -> [Int16: [OutboxStatus.Deferral]] {
        var deferrals: [Int16: [OutboxStatus.Deferral]] = [:]
        for row in try await database.query("SELECT * FROM delivery.outbox_deferrals()", within: limit) {
            let deferral = OutboxStatus.Deferral(
                reason: try row["reason"], rows: Int(try row["rows"] as Int64), nextDueAt: try row["next_due_at"])
            deferrals[try row["route"], default: []].append(deferral)
        }
        return deferrals
    }

    private func deadLetters() async throws(PostgresError) -> [OutboxStatus.DeadLetterCount] {
        var counts: [OutboxStatus.DeadLetterCount] = []
        for row in try await database.query("SELECT * FROM delivery.open_dead_letters()", within: limit) {
            counts.append(
                OutboxStatus.DeadLetterCount(
                    queue: try row["queue"], open: Int(try row["open"] as Int64),
                    uninstalled: Int(try row["uninstalled"] as Int64)))
        }
        return counts
    }

    private func leases() async throws(PostgresError) -> [OutboxStatus.LeaseCount] {
        var leases: [OutboxStatus.LeaseCount] = []
        for row in try await database.query("SELECT * FROM delivery.outbox_leases()", within: limit) {
            leases.append(
                OutboxStatus.LeaseCount(
                    owner: try row["owner"], leased: Int(try row["leased"] as Int64),
                    awaiting: Int(try row["awaiting"] as Int64)))
        }
        return leases
    }

    private func sessions() async throws(PostgresError) -> [OutboxStatus.ServiceSessions] {
        var sessions: [OutboxStatus.ServiceSessions] = []
        for row in try await database.query("SELECT * FROM delivery.service_sessions()", within: limit) {
            let role: String = try row["role"]
            sessions.append(
                OutboxStatus.ServiceSessions(
                    service: String(role.dropFirst(3)), count: Int(try row["sessions"] as Int32)))
        }
        return sessions
    }

    private func health() async throws(PostgresError) -> OutboxStatus.Health {
        let row = try await database.query(
            """
            SELECT *, concat_ws(' ', snapshot_role, nullif(snapshot_application, ''), 'pid ' || snapshot_pid) AS owner
            FROM delivery.outbox_health()
            """, within: limit
        ).one()
        var health = OutboxStatus.Health()
        health.snapshotAge = try row["snapshot_age"]
        health.snapshotOwner = try row["owner"]
        health.deadRows = Int(try row["dead_rows"] as Int64)
        health.vacuumedAgo = try row["vacuumed_ago"]
        health.partitions = Int(try row["partitions"] as Int32)
        health.partitionsUntil = try row["partitions_until"]
        health.hasStrayRows = try row["has_stray_rows"]
        return health
    }
}
