/// What holds for every request of a `Client`.
public struct Configuration: Sendable {
    public enum Version: Sendable {
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 where TLS negotiates it, else HTTP/1.1. Clear-text addresses speak HTTP/1.1.
        case negotiated
    }

    public var version: Version = .negotiated
    /// Name resolution, TCP and TLS together.
    public var connectTimeout: Duration = .seconds(5)
    /// PEM bundle that replaces the system's.
    public var caFile: String?
    /// Address of a proxy. The variables of the environment that name one are never read.
    public var proxy: String?
    /// Larger answers fail with `.bodyTooLarge`.
    public var maximumBodySize = 8 << 20
    /// Further requests to a host wait, at most until their own deadline.
    public var maximumConnectionsPerHost = 16

    public init() {}

    public init(caFile: String?) { self.caFile = caFile }
}
