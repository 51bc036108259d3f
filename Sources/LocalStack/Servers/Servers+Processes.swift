extension Servers {
    /// Every process of the private PostgreSQL, as it is now.
    public var postgresProcesses: [ProcessIdentity] { postgres.process.family }
    /// Every process of the private RabbitMQ, as it is now.
    public var rabbitmqProcesses: [ProcessIdentity] { rabbitmq.process.family }
}
