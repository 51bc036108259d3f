import HTTPClient
import Postgres
import TestSupport
import Testing

/// That what all other tests stand on gives each its own.
@Suite(.timeLimit(.minutes(1))) struct ScratchTests {
    @Test func `a scratch database has the migrations, the roles with their settings, and is dropped`() async throws {
        let name = try await withScratchDatabase { database in
            let connection = try await Connection.open(database.settings(as: "md_relay"))
            let path: String = try await connection.query("SHOW search_path").one()["search_path"]
            #expect(path.hasPrefix("delivery"))
            await connection.close()
            return database.name
        }
        let administrator = try await Connection.open(ConnectionSettings(url: TestServers.databaseURL))
        let left: Int = try await administrator.query(
            "SELECT count(*) AS count FROM pg_database WHERE datname = \(name)"
        ).one()["count"]
        #expect(left == 0)
        await administrator.close()
    }

    @Test func `a scratch virtual host has the topology and the routes, and is deleted`() async throws {
        let name = try await withScratchVirtualHost(routes: ["hints.fcm.test"]) { host in
            let management = ManagementAPI(url: host.managementURL)
            let queues = String(decoding: try await management.get("/api/queues/\(host.name)"), as: UTF8.self)
            for queue in ["recorder.acks", "hints.fcm.test"] { #expect(queues.contains("\"name\":\"\(queue)\"")) }
            let policies = String(decoding: try await management.get("/api/policies/\(host.name)"), as: UTF8.self)
            #expect(policies.contains("\"vhost\":\"\(host.name)\""))
            await management.close()
            return host.name
        }
        let management = ManagementAPI(url: try TestServers.managementURL)
        await #expect(throws: ManagementError.self) { try await management.get("/api/vhosts/\(name)") }
        await management.close()
    }
}
