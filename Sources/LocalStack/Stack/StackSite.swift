/// Where one stack lives: a database and a virtual host of the private servers, and a folder for its files.
public struct StackSite: Sendable {
    public let servers: Servers
    public let programs: Programs
    public let database: String
    public let virtualHost: String
    /// Keys, apps file, logs; in the servers' folder.
    public let folder: String

    /// `name` tells stacks on the same servers apart: letters, digits and underscores.
    public init(_ servers: Servers, _ programs: Programs, name: String = "mobile_delivery") {
        self.servers = servers
        self.programs = programs
        database = name
        virtualHost = name == "mobile_delivery" ? "mobile-delivery" : name
        folder = "\(servers.folder.path)/\(name)"
    }

    /// For the owner of the schema.
    public var databaseURL: String {
        servers.postgres.url(user: "postgres", password: servers.postgres.password, database: database)
    }

    public func databaseURL(as role: String) -> String {
        servers.postgres.url(user: role, password: servers.servicePassword, database: database)
    }

    /// For the administrator of the broker.
    public var amqpURL: String {
        servers.rabbitmq.amqpURL(
            user: RabbitMQServer.administrator, password: servers.rabbitmq.password, virtualHost: virtualHost)
    }

    public func amqpURL(as user: String) -> String {
        servers.rabbitmq.amqpURL(user: user, password: servers.servicePassword, virtualHost: virtualHost)
    }

    /// The variables of one service that say who it is and where the servers are.
    public func environment(of kind: ServiceKind) -> [String: String] {
        var environment = commonEnvironment
        environment["AMQP_URL"] = amqpURL(as: kind.brokerUser)
        if let role = kind.databaseRole { environment["DATABASE_URL"] = databaseURL(as: role) }
        return environment
    }

    /// What every process of the stack gets.
    public var commonEnvironment: [String: String] {
        ["PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8", Leftovers.mark: servers.folder.path]
    }
}
