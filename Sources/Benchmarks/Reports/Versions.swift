import Messages

/// What a figure depends on besides the machine.
public enum Versions {
    /// Whether the programs are built for speed; a debug build's figures mean nothing.
    public static var build: Report.Fact {
        #if DEBUG
            Report.Fact("build", .string("debug"))
        #else
            Report.Fact("build", .string("release"))
        #endif
    }

    /// `overview` is what the management API says of the broker.
    static func ofPrograms(postgres: String, overview: [UInt8]) -> [Report.Fact] {
        let overview = try? JSONValue(parsing: overview)
        return [
            build, Report.Fact("PostgreSQL", .string(postgres)),
            Report.Fact("RabbitMQ", overview?["rabbitmq_version"] ?? .null),
            Report.Fact("Erlang", overview?["erlang_version"] ?? .null),
        ]
    }
}
