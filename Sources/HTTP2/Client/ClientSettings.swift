/// How a client behaves. The defaults suit tests and small tools; `apns` and `fcm` are what the two providers want.
public struct ClientSettings: Hashable, Sendable {
    public var trust = Trust.system
    /// Goes through this proxy; nil connects directly.
    public var proxy: Proxy?
    /// For name look-up, TCP, proxy and TLS together.
    public var connectTimeout = Duration.seconds(10)
    /// From one address that did not answer yet to the next, tried beside it (RFC 8305).
    public var connectStagger = Duration.milliseconds(250)
    /// From a connection that came to nothing to the next attempt: doubles with each, up to the longest.
    public var reconnectFirst = Duration.milliseconds(100)
    public var reconnectLongest = Duration.seconds(10)
    /// A server that answers and yet ends connections younger than this is left alone for the same pauses, once it did so
    /// to a few in a row: opening one after the other looks like an attack.
    public var steadyAfter = Duration.seconds(5)
    /// Connections kept at most; another is opened when requests wait and all others are full.
    public var connections = 1
    /// Streams on one connection at most, whatever the server would allow.
    public var streamsPerConnection = 1000
    /// Requests waiting for a stream at most; more are `unprocessed(queueFull)` at once.
    public var waitingRequests = 10_000
    /// The first request of a new connection travels alone until it is answered (APNs accepts one stream until then).
    public var firstRequestAlone = false
    /// How often open requests are looked through for cancelled tasks.
    public var cancellationCheck = Duration.milliseconds(50)
    public var upkeep = Upkeep()
    /// Bytes of an answer's body; a longer one is `ambiguous(answerTooLarge)`.
    public var bodyLimit = 64 * 1024
    /// Bytes of an answer's header list, counted as HTTP/2 does (32 more a field).
    public var headerListLimit = 16 * 1024

    public init() {}

    /// APNs: connections live for hours or days, pinged when idle.
    public static var apns: ClientSettings {
        var settings = ClientSettings()
        settings.firstRequestAlone = true
        settings.connections = 4
        settings.upkeep.pingAfterIdle = .seconds(60)
        return settings
    }

    /// FCM: never pinged (it says GOAWAY to that), closed by us when idle, renewed before the server's hour is over.
    public static var fcm: ClientSettings {
        var settings = ClientSettings()
        settings.connections = 16
        settings.streamsPerConnection = 100
        settings.upkeep.closeAfterIdle = .seconds(180)
        settings.upkeep.maximumAge = .seconds(3300)
        settings.upkeep.ageJitter = .seconds(120)
        return settings
    }
}

/// How a connection is kept, watched and given up.
public struct Upkeep: Hashable, Sendable {
    /// PING when nothing was received for this long; nil never pings.
    public var pingAfterIdle: Duration?
    /// A PING without any byte received for this long condemns the connection: what is open on it is ambiguous.
    public var pingTimeout = Duration.seconds(10)
    /// A connection without open requests is closed after this long; nil keeps it.
    public var closeAfterIdle: Duration?
    /// From this age on, less a random part of `ageJitter`, a connection gets no more requests; nil keeps it.
    public var maximumAge: Duration?
    public var ageJitter = Duration.zero

    public init() {}
}

/// Whose certificates a client believes. Host name and chain are always checked.
public enum Trust: Hashable, Sendable {
    case system
    /// PEM file of certificate authorities; the system's are not believed then.
    case file(String)
    case pem(String)
}
