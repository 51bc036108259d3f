import Delivery
import Glibc
import Postgres
import Storage
import Testing

@Suite(.timeLimit(.minutes(1)))
struct IdentifierPostgresTests {
    private func withConnection(_ body: (Connection) async throws -> Void) async throws {
        let url = try #require(
            getenv("MOBILE_DELIVERY_TEST_DATABASE_URL"),
            "MOBILE_DELIVERY_TEST_DATABASE_URL is not set: run the tests with scripts/test")
        let connection = try await Connection.open(ConnectionSettings(url: String(cString: url)))
        try await body(connection)
        await connection.close()
    }

    @Test func `an identifier is a uuid`() async throws {
        try await withConnection { connection in
            let id = Identifier.random()
            let row = try await connection.query("SELECT \(id) AS id, \(id)::text AS text").one()
            #expect(try row.get("id", as: Identifier.self) == id)
            #expect(try row.get("text", as: String.self) == id.description)
        }
    }

    @Test func `identifiers and fingerprints go in arrays`() async throws {
        try await withConnection { connection in
            let ids: [Identifier?] = [.random(), nil, .random()]
            let prints = [Fingerprint(bytes: [UInt8](repeating: 9, count: 32))!]
            let row = try await connection.query("SELECT \(ids) AS ids, \(prints) AS prints").one()
            #expect(try row.get("ids", as: [Identifier?].self) == ids)
            #expect(try row.get("prints", as: [Fingerprint].self) == prints)
        }
    }
}
