/// Where the broker is, who we are there, and how long we wait for it.
public struct ConnectionSettings: Equatable, Sendable {
    public struct Address: Equatable, Sendable, CustomStringConvertible {
        public var host: String
        public var port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// Tried one after the other; a reconnect starts with the one after the last that worked.
    public var addresses: [Address]
    public var user: String
    public var password: String
    public var virtualHost: String
    public var usesTLS: Bool
    /// PEM file of the authorities that may have signed the broker's certificate. Peer and host are always verified.
    public var authorityFile: String
    /// Longest wait for TCP, TLS and login together, for each address.
    public var connectTimeout: Duration = .seconds(5)
    /// A peer silent for two of these is dead. Whole seconds.
    public var heartbeat: Duration = .seconds(10)
    /// Longest wait for the answer to a question (declare, consume, …); then the connection is given up.
    public var replyTimeout: Duration = .seconds(10)
    /// Longest time that the socket may refuse bytes; then the connection is given up.
    public var writeTimeout: Duration = .seconds(5)

    public init(
        addresses: [Address], user: String = "guest", password: String = "guest", virtualHost: String = "/",
        usesTLS: Bool = false, authorityFile: String = ConnectionSettings.systemAuthorities
    ) {
        self.addresses = addresses
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
        self.usesTLS = usesTLS
        self.authorityFile = authorityFile
    }

    /// Debian's bundle, used when an `amqps` address names no file.
    public static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"
}

extension ConnectionSettings: CustomStringConvertible {
    /// The address without the password.
    public var description: String {
        let hosts = addresses.map(\.description).joined(separator: ",")
        return "\(usesTLS ? "amqps" : "amqp")://\(user)@\(hosts)/\(virtualHost == "/" ? "" : virtualHost)"
    }
}
