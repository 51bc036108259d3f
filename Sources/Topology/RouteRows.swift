public import Delivery
public import Postgres

/// The rows of `route_state`, one a route of the apps file.
public enum RouteRows {
    /// Makes the rows that are missing; returns every route's number. Existing rows are left as they are, also those of
    /// routes that are no longer in the apps file: entries may still name them.
    @discardableResult
    public static func add(_ routes: [Route], to database: Database) async throws(PostgresError) -> [Route: Int] {
        var numbers: [Route: Int] = [:]
        for route in Set(routes).sorted(by: { $0.queue < $1.queue }) {
            let row = try await database.query(
                """
                SELECT delivery.add_route(\(route.provider.rawValue), \(route.environment), \(route.app))::int AS number
                """
            ).one()
            numbers[route] = Int(try row.get("number", as: Int32.self))
        }
        return numbers
    }

    /// Routes that have no row yet, for `topology plan` and `topology check`.
    public static func missing(_ routes: [Route], in database: Database) async throws(PostgresError) -> [Route] {
        let rows = try await database.query(
            "SELECT provider, environment, app FROM delivery.route_state WHERE route > 0")
        var known: Set<Route> = []
        for row in rows {
            guard let provider = Provider(rawValue: try row.get("provider", as: String.self)) else { continue }
            known.insert(Route(provider: provider, environment: try row["environment"], app: try row["app"]))
        }
        return Set(routes).subtracting(known).sorted { $0.queue < $1.queue }
    }
}
