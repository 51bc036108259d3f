public import HTTPServer
import Messages

/// Settings of a gateway; the defaults are those of `docs/device-api.md`.
public struct Configuration: Sendable {
    public var listen = Address.loopback()
    public var tls: ServerTLS?
    public var limits = Limits()
    public var lease = LeaseSettings()
    /// Statements share them; one that waits for a lock keeps those behind it on its connection waiting too.
    public var databaseConnections = 8
    /// For every statement, and for the wait for a connection.
    public var databaseTimeout: Duration = .seconds(5)
    /// Until the broker's confirm of an ack.
    public var confirmTimeout: Duration = .seconds(5)
    /// Of an enrolment ticket.
    public var ticketLifetime: Duration = .seconds(15 * 60)
    /// Calls a second of one device, and at once.
    public var deviceRate: Double = 20
    public var deviceBurst = 100
    /// Enrolments a minute of one address, and with one ticket; 0 = no limit. Behind a proxy all have its address.
    public var enrolmentRate = 120
    public var enrolmentTicketRate = 10
    /// Phones that may wait for a change of their set, and how often it is looked at for all of them together.
    public var waiters = 5_000
    public var waitInterval: Duration = .milliseconds(500)
    /// Of a wait, without `timeout` and at most.
    public var waitSeconds = 25
    public var longestWaitSeconds = 60
    /// Jobs on a page of the listing: without `limit`, and at most.
    public var pageSize = 50
    public var largestPage = 200
    /// For requests in flight when the stop is requested.
    public var drain: Duration = .seconds(10)

    public init() {
        limits.connections = 10_000
        limits.idle = .seconds(60)
        limits.body = 4 << 20
        limits.tooLarge = Problem(.tooLarge).response
    }
}

/// Numbers of the fan-out lease (b.2.2 of the specification).
public struct LeaseSettings: Sendable, Equatable {
    public var ttl: Duration = .seconds(90)
    /// From the grant; no renewal and no submission passes it.
    public var hardDeadline: Duration = .seconds(15 * 60)
    /// After the first wasted lease, doubling with each.
    public var coolDown: Duration = .seconds(60)
    public var coolDownCap: Duration = .seconds(3_600)
    /// Accept the submission of an expired holder when nobody else was elected.
    public var acceptLate = true

    public init() {}
}
