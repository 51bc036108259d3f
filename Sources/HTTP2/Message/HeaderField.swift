/// One header field. Names are lower case, as HTTP/2 wants them on the wire.
public struct HeaderField: Hashable, Sendable {
    public var name: String
    public var value: String
    /// A value that differs in every request (`apns-id`): kept out of the connection's compression table, where it would
    /// push out the fields that repeat.
    public var isVolatile: Bool

    public init(_ name: String, _ value: String, isVolatile: Bool = false) {
        self.name = name
        self.value = value
        self.isVolatile = isVolatile
    }
}
