import Glibc
import Postgres
import Testing

/// The server that `scripts/test` started.
enum TestServer {
    static func settings() throws -> ConnectionSettings {
        let name = "MOBILE_DELIVERY_TEST_DATABASE_URL"
        guard let value = getenv(name) else {
            throw Missing(description: "\(name) is not set: run the tests with scripts/test")
        }
        return try ConnectionSettings(url: String(cString: value))
    }

    struct Missing: Error, CustomStringConvertible { let description: String }
}

/// A connection for the time of `body`.
func withConnection<Result>(_ body: (Connection) async throws -> Result) async throws -> Result {
    let connection = try await Connection.open(try TestServer.settings())
    do {
        let result = try await body(connection)
        await connection.close()
        return result
    } catch {
        await connection.close()
        throw error
    }
}
