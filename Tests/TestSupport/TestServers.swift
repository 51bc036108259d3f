import FoundationEssentials

/// The servers that tests run against, named by the environment; `scripts/test` starts private ones and sets it.
public enum TestServers {
    /// A superuser of PostgreSQL.
    public static var databaseURL: String {
        get throws { try variable("MOBILE_DELIVERY_TEST_DATABASE_URL", "PostgreSQL") }
    }

    /// An administrator of RabbitMQ, on the default virtual host.
    public static var amqpURL: String {
        get throws { try variable("MOBILE_DELIVERY_TEST_AMQP_URL", "RabbitMQ") }
    }

    /// The management API of the same broker, with name and password in the address.
    public static var managementURL: String {
        get throws { try variable("MOBILE_DELIVERY_TEST_MANAGEMENT_URL", "RabbitMQ's management plugin") }
    }

    private static func variable(_ name: String, _ server: String) throws -> String {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
            throw MissingServer(description: "no \(server): \(name) is not set; run the tests with scripts/test")
        }
        return value
    }
}

/// Fails a test that needs a server which is not there; nothing is skipped.
public struct MissingServer: Error, CustomStringConvertible {
    public let description: String
}
