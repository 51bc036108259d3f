public import Daemon
public import HTTP2

/// The way out that the environment names: `HTTPS_PROXY` for everything that `NO_PROXY` does not except. Either may be in
/// lower case, as other programs have it.
public struct ProviderProxy: Sendable {
    private let proxy: Proxy?
    private let exceptions: ProxyExceptions

    /// A direct way.
    public init() {
        proxy = nil
        exceptions = ProxyExceptions()
    }

    /// The address may hold a password, so that it may also come from a file and is never printed.
    public init(_ reader: EnvironmentReader) {
        func address(_ name: String) -> Proxy? {
            reader.secret(
                name, required: false, expected: "the address of an HTTP proxy: http://[user:password@]host:port"
            ) { Proxy(url: $0) }?.revealed
        }
        let lower = address("https_proxy")
        proxy = address("HTTPS_PROXY") ?? lower
        let list = reader.optionalString("no_proxy")
        exceptions = ProxyExceptions(reader.optionalString("NO_PROXY") ?? list ?? "")
    }

    /// The proxy on the way to `origin`; nil goes directly.
    public func proxy(for origin: Origin) -> Proxy? { exceptions.contain(origin) ? nil : proxy }

    /// The same for an address with a path, as another library wants it: with name and password, not to be printed.
    public func address(for url: String) -> String? {
        let origin = Origin(url: url.split(separator: "/").prefix(2).joined(separator: "//"))
        return origin.flatMap { proxy(for: $0) }?.address
    }
}
