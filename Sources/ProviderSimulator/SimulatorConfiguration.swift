public import HTTP2

/// What the simulated providers are told before they start.
public struct SimulatorConfiguration: Sendable {
    /// 0 takes a free one.
    public struct Ports: Hashable, Sendable {
        public var apnsProduction: UInt16 = 0
        public var apnsSandbox: UInt16 = 0
        public var fcm: UInt16 = 0
        public var oauth: UInt16 = 0
        public var control: UInt16 = 0

        public init() {}
    }

    /// Address to listen on; certificates name `localhost`, `127.0.0.1`, `::1` and `simulator`.
    public var host = "127.0.0.1"
    public var ports = Ports()
    public var identity: Identity
    public var apnsKeys: [APNSKey] = []
    public var fcmProjects: [FCMProject] = []
    /// Tokens known from the start; others come by the control port.
    public var devices: [Device] = []
    public var script = Script()
    /// APNs refuses a change of provider token on a connection sooner than that.
    public var providerTokenFloorSeconds: Int64 = 1200
    public var accessTokenSeconds: Int64 = 3600
    /// Streams that APNs allows on a connection before and after a provider token was accepted, and FCM always.
    public var apnsFirstStreams: UInt32 = 1
    public var apnsStreams: UInt32 = 1000
    public var fcmStreams: UInt32 = 100
    /// How long connections may be idle or last, and how often a client may ping.
    public var apnsLimits = ConnectionLimits.apns
    public var googleLimits = ConnectionLimits.google
    public var quotas = Quotas()
    /// Requests and deliveries kept for readers of the control port.
    public var journalEntries = 100_000

    /// Files to which every request and every delivery is appended as a line of JSON; `-` is standard output.
    public var journalFile: String?
    public var deliveriesFile: String?

    public init(identity: Identity) { self.identity = identity }
}

extension ConnectionLimits {
    /// Nothing of this is published; an hour is what Apple's advice to ping idle connections implies.
    static var apns: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.idle = .seconds(3600)
        limits.idleFarewell = Farewell(debug: APNSReason.body(of: APNSReason.idleTimeout.rawValue))
        limits.upload = .seconds(60)
        return limits
    }

    /// As seen from outside: idle for four minutes, an hour old, pinged without need.
    static var google: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.idle = .seconds(240)
        limits.idleFarewell = Farewell(debug: "session_timeout")
        limits.age = .seconds(3600)
        limits.ageFarewell = Farewell(debug: "max_age")
        limits.pings = 2
        limits.pingFarewell = Farewell(code: .enhanceYourCalm, debug: "too_many_pings")
        return limits
    }
}
