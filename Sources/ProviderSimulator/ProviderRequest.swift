public import HTTP2

/// Which of the simulated services a request came to.
public enum ProviderService: Hashable, Sendable {
    /// `production` or `sandbox`.
    case apns(environment: String)
    case fcm
    case oauth

    public var provider: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .oauth: "oauth"
        }
    }

    /// Empty where there is none.
    public var environment: String { if case .apns(let environment) = self { environment } else { "" } }
}

/// A request as it came, whatever version of HTTP brought it.
public struct ProviderRequest: Hashable, Sendable {
    public var service: ProviderService
    public var received: ReceivedRequest

    public init(_ received: ReceivedRequest, service: ProviderService) {
        self.service = service
        self.received = received
    }

    public var version: ReceivedRequest.Version { received.version }
    public var method: String { received.method }
    public var path: String { received.path }
    public var body: [UInt8] { received.body }

    public var fields: Headers {
        get { received.fields }
        set { received.fields = newValue }
    }
}
