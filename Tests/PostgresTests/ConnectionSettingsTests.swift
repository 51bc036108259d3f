import Postgres
import Testing

struct ConnectionSettingsTests {
    @Test(arguments: [
        "", "postgres", "http://localhost/x", "postgres://user:secret@host:port/db", "postgres://u:secret@h:70000/d",
        "postgres://u:secret@h/d?no_such_keyword=1", "host=localhost password=secret",
    ])
    func `a malformed URL is refused without quoting it`(url: String) {
        let error = #expect(throws: PostgresError.self) { try ConnectionSettings(url: url) }
        #expect(error?.kind == .malformedURL)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `start-up options are refused`() {
        let error = #expect(throws: PostgresError.self) {
            try ConnectionSettings(url: "postgres://u@h/d?options=-c%20statement_timeout%3D5s")
        }
        #expect(error?.kind == .malformedURL)
    }

    @Test func `the description has no password`() throws {
        let settings = try ConnectionSettings(url: "postgres://relay:s%40cret@db.example:5433/delivery")
        #expect(settings.description == "relay@db.example:5433/delivery")
    }

    @Test func `another database keeps the rest`() throws {
        let settings = try ConnectionSettings(url: "postgres://relay:secret@db.example:5433/delivery")
        #expect(settings.database("scratch").description == "relay@db.example:5433/scratch")
        #expect(settings.user("gateway", password: "x").description == "gateway@db.example:5433/delivery")
    }
}
