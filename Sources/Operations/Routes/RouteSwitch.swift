import Daemon
public import Postgres

/// The hand half of routes: what an operator wants of them. The relay reads it within 250 ms.
public struct RouteSwitch: Sendable {
    private let database: Database
    private let actor: String

    public init(_ database: Database, actor: String) {
        self.database = database
        self.actor = actor
    }

    public struct Change: Equatable, Sendable {
        public let route: String
        /// False: it was so before.
        public let changed: Bool
    }

    /// `name` as `route list` has it, or `all`. Each route is a line of its own in the audit.
    public func set(_ name: String, paused: Bool, reason: String?) async throws -> [Change] {
        let rows = try await database.query(
            """
            SELECT route, concat_ws('.', provider, nullif(environment, ''), app) AS name FROM delivery.route_state
            WHERE route > 0 ORDER BY 2
            """)
        var changes: [Change] = []
        for row in rows {
            let route: String = try row["name"]
            guard name == "all" || name == route else { continue }
            let changed: Bool = try await database.query(
                "SELECT delivery.switch_route(\(actor), \(try row["route"] as Int16), \(paused), \(reason ?? "")) AS c"
            ).one()["c"]
            changes.append(Change(route: route, changed: changed))
        }
        guard !changes.isEmpty else {
            throw CommandFailure(.dataError, "there is no route \(name): `mobile-delivery route list` names them")
        }
        return changes
    }
}
