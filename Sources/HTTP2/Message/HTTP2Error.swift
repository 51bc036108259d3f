/// What keeps a client or a server from coming to life: a certificate that can't be read, an address that is taken.
public struct HTTP2Error: Error, Hashable, CustomStringConvertible {
    /// One line, safe to log: what could not be done, and why.
    public let description: String

    public init(_ description: String) { self.description = description }
}
