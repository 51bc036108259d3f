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
        var changes: [Change] = []
        for route in try await NamedRoute.matching(name, in: database) {
            let changed: Bool = try await database.query(
                "SELECT delivery.switch_route(\(actor), \(route.number), \(paused), \(reason ?? "")) AS c"
            ).one()["c"]
            changes.append(Change(route: route.name, changed: changed))
        }
        return changes
    }
}
