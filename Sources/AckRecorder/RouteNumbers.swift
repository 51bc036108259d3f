import Delivery
import Postgres
import Storage

/// The numbers of routes, read when one is asked for that is not known yet.
actor RouteNumbers {
    private let database: Database
    private var table = RouteTable([:])

    init(_ database: Database) { self.database = database }

    func number(of route: Route) async throws(PostgresError) -> Int16? {
        if let number = table.number(of: route) { return number }
        table = try await RouteTable.read(from: database)
        return table.number(of: route)
    }
}
