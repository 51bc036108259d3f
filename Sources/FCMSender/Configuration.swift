public import HTTP2
public import Sending

/// Settings of the FCM sender.
public struct Configuration: Sendable {
    public var origin = Origin(host: "fcm.googleapis.com")
    /// Replaces the address in the service account files; nil takes theirs.
    public var tokenEndpoint: String?
    /// PEM bundle for FCM and the token endpoint; nil takes the system's.
    public var caFile: String?
    public var client = ClientSettings.fcm
    public var proxy = ProviderProxy()
    /// Messages a minute that the quota of a project allows (600,000 unless Google was asked for more) …
    public var quotaPerMinute = 600_000
    /// … shared evenly by so many sender processes.
    public var senders = 1
    /// From nothing to the full rate: Google asks for a minute or more.
    public var ramp = Duration.seconds(60)
    public var sending = SendingSettings()

    public init() {}

    /// This process's part of a project's quota.
    var perSecond: Double { Double(quotaPerMinute) / 60 / Double(senders) }
}
