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
    public var sending = SendingSettings()

    public init() {}
}
