import Daemon
import Postgres

/// A route as operators name it, with its number in the database.
struct NamedRoute {
    /// As `route list` has it.
    let name: String
    let number: Int16

    /// The route of that name, or every one for `all`. Throws one line if there is none.
    static func matching(_ name: String, in database: Database) async throws -> [NamedRoute] {
        let routes = try await database.query(
            """
            SELECT route, concat_ws('.', provider, nullif(environment, ''), app) AS name FROM delivery.route_state
            WHERE route > 0 ORDER BY 2
            """
        ).map { row in NamedRoute(name: try row["name"], number: try row["route"]) }
        let matching = routes.filter { name == "all" || name == $0.name }
        guard !matching.isEmpty else {
            throw CommandFailure(.dataError, "there is no route \(name): `mobile-delivery route list` names them")
        }
        return matching
    }
}
