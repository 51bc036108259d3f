import Daemon
import Delivery
public import Postgres
import Storage

/// The database's side of the changes: one audited batch a call.
public struct ChangeSite: Sendable {
    package let database: Database
    /// Whom the audit names.
    let actor: String
    /// Rows of one transaction.
    package let batch: Int
    private let limit = Duration.seconds(60)

    public init(_ database: Database, actor: String, batch: Int = 1000) {
        self.database = database
        self.actor = actor
        self.batch = batch
    }

    /// Throws unless the route exists: a filter that matches nothing by a slip would look like success.
    public func check(_ filter: DueFilter) async throws {
        let routes = try await RouteTable.read(from: database).routes.values
        if let name = filter.route, !routes.contains(where: { $0.description == name }) {
            throw CommandFailure(.dataError, "there is no route \(name): `mobile-delivery route list` names them")
        }
        if let app = filter.app, !routes.contains(where: { $0.app == app }) {
            throw CommandFailure(.dataError, "there is no route of app \(app): `mobile-delivery route list` names them")
        }
    }

    public func preview(_ kind: ChangeKind, _ filter: DueFilter) async throws(PostgresError) -> ChangePreview {
        let rows = try await database.query(
            """
            SELECT p.*, concat_ws('.', r.provider, nullif(r.environment, ''), r.app) AS name
            FROM delivery.preview_change(\(kind.rawValue), \(filter.json)::jsonb) p JOIN delivery.route_state r USING (route)
            """, within: limit)
        var groups: [ChangePreview.Group] = []
        for row in rows {
            groups.append(
                ChangePreview.Group(
                    route: try row["name"], reason: try row["reason"], rows: Int(try row["rows"] as Int64),
                    oldest: try row["oldest"], underLease: Int(try row["under_lease"] as Int64)))
        }
        let now: Timestamp = try await database.query("SELECT clock_timestamp() AS now", within: limit).one()["now"]
        return ChangePreview(kind: kind, now: now, groups: groups)
    }

    /// Connections of relays to this database; those of a pooler may be nobody's.
    public func relayConnections() async throws(PostgresError) -> Int {
        let row = try await database.query(
            "SELECT sessions FROM delivery.service_sessions() WHERE role = 'md_relay'", within: limit
        ).one()
        return Int(try row["sessions"] as Int32)
    }

    // MARK: One run

    package func begin(_ action: String, subject: String, filter: String) async throws(PostgresError) -> Int64 {
        try await database.query(
            "SELECT delivery.begin_change(\(actor), \(action), \(subject), \(filter)::jsonb) AS n", within: limit
        ).one()["n"]
    }

    package func end(_ change: Int64, _ result: String) async throws(PostgresError) {
        try await database.execute("SELECT delivery.end_change(\(change), \(result))", within: limit)
    }

    /// Changes the next rows after `last`; nil when there are none.
    func step(
        _ kind: ChangeKind, _ change: Int64, _ filter: DueFilter, after last: Int64
    ) async throws(PostgresError) -> (last: Int64, changed: Int)? {
        let function =
            switch kind {
            case .retryNow: "retry_now"
            case .release: "release_leases"
            case .expire: "expire_committed"
            }
        let row = try await database.query(
            """
            SELECT * FROM delivery.\(unescaped: function)(\(change), \(filter.json)::jsonb, \(last), \(Int32(batch)))
            """, within: limit
        ).one()
        guard let reached: Int64 = try row["last_id"] else { return nil }
        return (reached, Int(try row["changed"] as Int32))
    }
}
