public import HTTP2
public import Sending

/// Settings of the APNs sender.
public struct Configuration: Sendable {
    public var production = HTTP2.Origin(host: "api.push.apple.com")
    public var sandbox = HTTP2.Origin(host: "api.sandbox.push.apple.com")
    public var client = ClientSettings.apns
    public var proxy = ProviderProxy()
    public var sending = SendingSettings()

    public init() {}
}
