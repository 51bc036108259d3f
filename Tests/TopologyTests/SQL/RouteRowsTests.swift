import Postgres
import TestSupport
import Testing
import Topology

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Rows of routes` {
    @Test func `keep their numbers when routes are added`() async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings(as: "md_operator"), connections: 1)
            let first = try await RouteRows.add([SampleBroker.routes[1]], to: database)
            #expect(try await RouteRows.missing(SampleBroker.routes, in: database) == [SampleBroker.routes[0]])
            let both = try await RouteRows.add(SampleBroker.routes, to: database)
            #expect(first[SampleBroker.routes[1]] == 1)
            #expect(both == [SampleBroker.routes[0]: 2, SampleBroker.routes[1]: 1])
            await database.close()
        }
    }
}
