public import Delivery
public import Postgres

/// The small number by which `due` and its relatives name a route, as `topology apply` wrote them.
public struct RouteTable: Sendable, Equatable {
    /// The route of the events in `due`.
    public static let events: Int16 = 0

    public let routes: [Int16: Route]
    private let numbers: [Route: Int16]

    public init(_ routes: [Int16: Route]) {
        self.routes = routes
        numbers = Dictionary(uniqueKeysWithValues: routes.map { ($1, $0) })
    }

    public func number(of route: Route) -> Int16? { numbers[route] }

    /// Rows that no longer name a provider this program knows are left out.
    public static func read(from database: Database) async throws(PostgresError) -> RouteTable {
        var routes: [Int16: Route] = [:]
        for row in try await database.query(
            "SELECT route, provider, environment, app FROM delivery.route_state WHERE route > 0")
        {
            guard let provider = Provider(rawValue: try row["provider"]) else { continue }
            let route = Route(provider: provider, environment: try row["environment"], app: try row["app"])
            routes[try row["route"]] = route
        }
        return RouteTable(routes)
    }
}
