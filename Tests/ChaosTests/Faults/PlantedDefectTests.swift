import Postgres
import TestSupport
import Testing

@testable import Chaos

/// A defect that no longer fits the statements would leave campaigns undoubted.
@Suite(.timeLimit(.minutes(1))) struct PlantedDefectTests {
    @Test(arguments: PlantedDefect.allCases)
    func `a defect fits the relay's statements and leaves no trace`(_ defect: PlantedDefect) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 1)
            let before = try await functions(database)
            let planted = try await defect.plant(in: database)
            #expect(try await functions(database) != before)
            try await planted.remove(from: database)
            #expect(try await functions(database) == before)
            await database.close()
        }
    }

    private func functions(_ database: Database) async throws -> String {
        try await database.query(
            """
            SELECT string_agg(pg_get_functiondef(p.oid), '' ORDER BY p.oid) AS text FROM pg_proc p
             WHERE p.pronamespace = 'delivery'::regnamespace AND p.prokind = 'f'
            """
        ).one()["text"]
    }
}
