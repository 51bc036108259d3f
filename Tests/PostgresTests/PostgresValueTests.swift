import Postgres
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PostgresValueTests {
    private func returned<Value: PostgresValue & Equatable>(_ value: Value) async throws -> Value {
        try await withConnection { try await $0.query("SELECT \(value) AS value").one()["value"] }
    }

    @Test func `every scalar comes back as it was bound`() async throws {
        #expect(try await returned(true) == true)
        #expect(try await returned(Int16.min) == .min)
        #expect(try await returned(Int32.max) == .max)
        #expect(try await returned(Int64.min) == .min)
        #expect(try await returned(-7) == -7)
        #expect(try await returned(1.5e-300) == 1.5e-300)
        #expect(try await returned("zwölf 🧾 'x'") == "zwölf 🧾 'x'")
        #expect(try await returned([UInt8]()) == [])
        #expect(try await returned(Array(UInt8.min...UInt8.max)) == Array(UInt8.min...UInt8.max))
        #expect(
            try await returned(Timestamp(microseconds: 1_764_511_286_123_456)).microseconds == 1_764_511_286_123_456)
        #expect(try await returned(Timestamp(microseconds: -1)).microseconds == -1)
        #expect(try await returned(Timestamp.infinity) == .infinity)
        #expect(try await returned(Duration.milliseconds(-1500)) == .milliseconds(-1500))
    }

    @Test func `every array comes back as it was bound`() async throws {
        #expect(try await returned([Int]()) == [])
        #expect(try await returned([1, 2, -3]) == [1, 2, -3])
        #expect(try await returned(["a", "", "c,\"{}"]) == ["a", "", "c,\"{}"])
        #expect(try await returned([true, false]) == [true, false])
        #expect(try await returned([[UInt8]]([[1, 2], [], [255]])) == [[1, 2], [], [255]])
        #expect(try await returned([Int16(1), nil, 3]) == [1, nil, 3])
        #expect(try await returned([Duration.seconds(1), .zero]) == [.seconds(1), .zero])
        #expect(try await returned([Timestamp(milliseconds: 5)]) == [Timestamp(milliseconds: 5)])
    }

    @Test func `nil is NULL both ways`() async throws {
        let none: Int? = nil
        #expect(try await returned(none) == nil)
        #expect(try await returned(Optional("x")) == "x")
    }

    @Test func `JSON is read as its text and days of an interval as 24 hours`() async throws {
        try await withConnection { connection in
            let row = try await connection.query(
                "SELECT jsonb_build_object('a', 1) AS b, '{\"a\":1}'::json AS j, interval '2 days 1 hour' AS i"
            ).one()
            #expect(try row.get("b", as: String.self) == "{\"a\": 1}")
            #expect(try row.get("j", as: String.self) == "{\"a\":1}")
            #expect(try row.get("i", as: Duration.self) == .seconds(49 * 3600))
        }
    }

    @Test func `what does not fit is an error and not another value`() async throws {
        try await withConnection { connection in
            let row = try await connection.query(
                "SELECT 70000 AS large, NULL::int AS nothing, 'x' AS word, interval '1 month' AS month, 1.5 AS number"
            ).one()
            #expect(throws: PostgresError.self) { try row.get("large", as: Int16.self) }
            #expect(throws: PostgresError.self) { try row.get("nothing", as: Int.self) }
            #expect(throws: PostgresError.self) { try row.get("word", as: Int.self) }
            #expect(throws: PostgresError.self) { try row.get("month", as: Duration.self) }
            #expect(throws: PostgresError.self) { try row.get("number", as: Double.self) }
            #expect(throws: PostgresError.self) { try row.get("absent", as: Int.self) }
        }
    }

    @Test(arguments: [(1999, 1), (2000, 2), (-1, -1), (-1000, -1), (-1001, -2), (0, 0)])
    func `milliseconds are rounded down`(microseconds: Int64, milliseconds: Int64) {
        #expect(Timestamp(microseconds: microseconds).milliseconds == milliseconds)
    }
}
