public import Daemon
public import HTTP2

extension ClientSettings {
    /// Reads `MOBILE_DELIVERY_<provider>_…` over `defaults`, and the certificates to trust; faults are collected by the
    /// reader. The proxy depends on where the client goes: `ProviderProxy`.
    public init(_ reader: EnvironmentReader, provider: String, defaults: ClientSettings) {
        self = defaults
        let name = "MOBILE_DELIVERY_\(provider)_"
        let span: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400)
        connections = reader.integer("\(name)CONNECTIONS", default: connections, in: 1...64)
        connectTimeout = reader.duration("\(name)CONNECT_TIMEOUT", default: connectTimeout, in: span)
        connectStagger = reader.duration("\(name)CONNECT_STAGGER", default: connectStagger, in: span)
        reconnectFirst = reader.duration("\(name)RECONNECT_FIRST", default: reconnectFirst, in: span)
        reconnectLongest = reader.duration("\(name)RECONNECT_LONGEST", default: reconnectLongest, in: span)
        steadyAfter = reader.duration("\(name)STEADY_AFTER", default: steadyAfter, in: .zero ... .seconds(86_400))
        cancellationCheck = reader.duration("\(name)CANCELLATION_CHECK", default: cancellationCheck, in: span)
        if let quiet = upkeep.pingAfterIdle {
            upkeep.pingAfterIdle = reader.duration("\(name)PING_AFTER_IDLE", default: quiet, in: span)
            upkeep.pingTimeout = reader.duration("\(name)PING_TIMEOUT", default: upkeep.pingTimeout, in: span)
        }
        if let idle = upkeep.closeAfterIdle {
            upkeep.closeAfterIdle = reader.duration("\(name)CLOSE_AFTER_IDLE", default: idle, in: span)
        }
        if let age = upkeep.maximumAge {
            upkeep.maximumAge = reader.duration("\(name)CONNECTION_AGE", default: age, in: span)
            upkeep.ageJitter = reader.duration("\(name)CONNECTION_AGE_JITTER", default: upkeep.ageJitter)
        }
        trust = reader.optionalString("MOBILE_DELIVERY_PROVIDER_CA_FILE").map { .file($0) } ?? .system
    }
}
