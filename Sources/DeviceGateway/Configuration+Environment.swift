public import Daemon
import HTTPServer

extension Configuration {
    /// Reads `MOBILE_DELIVERY_GATEWAY_…` and `MOBILE_DELIVERY_LEASE_…`; errors are collected by the reader.
    public init(_ reader: EnvironmentReader) {
        self.init()
        listen = reader.listenAddress("MOBILE_DELIVERY_GATEWAY_LISTEN", default: listen)
        limits.connections = reader.integer(
            "MOBILE_DELIVERY_GATEWAY_CONNECTIONS", default: limits.connections, in: 1...1_000_000)
        limits.connectionsPerAddress = reader.integer(
            "MOBILE_DELIVERY_GATEWAY_CONNECTIONS_PER_ADDRESS", default: 0, in: 0...1_000_000)
        limits.idle = reader.duration(
            "MOBILE_DELIVERY_GATEWAY_IDLE", default: limits.idle, in: .seconds(1) ... .seconds(3_600))
        limits.upload = reader.duration(
            "MOBILE_DELIVERY_GATEWAY_UPLOAD", default: limits.upload, in: .seconds(1) ... .seconds(3_600))
        limits.body = reader.integer("MOBILE_DELIVERY_GATEWAY_BODY", default: limits.body, in: 1_024...(64 << 20))
        databaseConnections = reader.integer(
            "MOBILE_DELIVERY_GATEWAY_DATABASE_CONNECTIONS", default: databaseConnections, in: 1...100)
        databaseTimeout = reader.duration(
            "MOBILE_DELIVERY_GATEWAY_DATABASE_TIMEOUT", default: databaseTimeout,
            in: .milliseconds(100) ... .seconds(60))
        confirmTimeout = reader.duration(
            "MOBILE_DELIVERY_GATEWAY_CONFIRM_TIMEOUT", default: confirmTimeout, in: .milliseconds(100) ... .seconds(60))
        ticketLifetime = reader.duration(
            "MOBILE_DELIVERY_TICKET_LIFETIME", default: ticketLifetime, in: .seconds(1) ... .seconds(30 * 86_400))
        deviceRate = Double(
            reader.integer("MOBILE_DELIVERY_GATEWAY_DEVICE_RATE", default: Int(deviceRate), in: 1...100_000))
        deviceBurst = reader.integer("MOBILE_DELIVERY_GATEWAY_DEVICE_BURST", default: deviceBurst, in: 1...1_000_000)
        enrolmentRate = reader.integer(
            "MOBILE_DELIVERY_GATEWAY_ENROLMENT_RATE", default: enrolmentRate, in: 0...1_000_000)
        enrolmentTicketRate = reader.integer(
            "MOBILE_DELIVERY_GATEWAY_ENROLMENT_TICKET_RATE", default: enrolmentTicketRate, in: 0...1_000_000)
        limits.head = reader.duration(
            "MOBILE_DELIVERY_GATEWAY_HEAD", default: limits.head, in: .seconds(1) ... .seconds(600))
        waiters = reader.integer("MOBILE_DELIVERY_GATEWAY_WAITERS", default: waiters, in: 0...1_000_000)
        waitInterval = reader.duration(
            "MOBILE_DELIVERY_GATEWAY_WAIT_INTERVAL", default: waitInterval, in: .milliseconds(10) ... .seconds(10))
        drain = reader.duration("MOBILE_DELIVERY_GATEWAY_DRAIN", default: drain, in: .zero ... .seconds(60))
        readLease(reader)
        readTLS(reader)
    }

    private mutating func readLease(_ reader: EnvironmentReader) {
        let range = Duration.milliseconds(100) ... .seconds(86_400)
        lease.ttl = reader.duration("MOBILE_DELIVERY_LEASE_TTL", default: lease.ttl, in: range)
        lease.hardDeadline = reader.duration(
            "MOBILE_DELIVERY_LEASE_HARD_DEADLINE", default: lease.hardDeadline, in: range)
        lease.coolDown = reader.duration(
            "MOBILE_DELIVERY_LEASE_COOL_DOWN", default: lease.coolDown, in: .zero ... .seconds(86_400))
        lease.coolDownCap = reader.duration(
            "MOBILE_DELIVERY_LEASE_COOL_DOWN_CAP", default: lease.coolDownCap, in: .zero ... .seconds(86_400))
        let late = reader.string("MOBILE_DELIVERY_LEASE_LATE_SUBMIT", default: "accept")
        lease.acceptLate = late != "reject"
        if late != "accept" && late != "reject" {
            reader.report("MOBILE_DELIVERY_LEASE_LATE_SUBMIT", "must be accept or reject, not \"\(late)\"")
        }
        if lease.hardDeadline < lease.ttl {
            reader.report("MOBILE_DELIVERY_LEASE_HARD_DEADLINE", "must not be shorter than MOBILE_DELIVERY_LEASE_TTL")
        }
    }

    private mutating func readTLS(_ reader: EnvironmentReader) {
        let certificate = reader.optionalString("MOBILE_DELIVERY_GATEWAY_CERTIFICATE_FILE")
        let key = reader.optionalString("MOBILE_DELIVERY_GATEWAY_KEY_FILE")
        switch (certificate, key) {
        case (nil, nil): break
        case (let certificate?, let key?):
            do throws(CommandFailure) {
                tls = ServerTLS(certificate: try SettingsFile.text(certificate), key: try SettingsFile.text(key))
            } catch {
                reader.report("MOBILE_DELIVERY_GATEWAY_CERTIFICATE_FILE or _KEY_FILE", error.line)
            }
        default:
            reader.report(
                "MOBILE_DELIVERY_GATEWAY_CERTIFICATE_FILE", "and MOBILE_DELIVERY_GATEWAY_KEY_FILE belong together")
        }
    }
}
