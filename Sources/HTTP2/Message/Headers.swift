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

/// Header fields in the order in which they travel.
public struct Headers: Hashable, Sendable, ExpressibleByDictionaryLiteral, RandomAccessCollection {
    private var fields: [HeaderField]

    public init(_ fields: [HeaderField] = []) { self.fields = fields }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { HeaderField($0.0, $0.1) }
    }

    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> HeaderField { fields[position] }

    /// The value of the first field of that (lower-case) name.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    public mutating func append(_ field: HeaderField) { fields.append(field) }

    public mutating func append(_ name: String, _ value: String, isVolatile: Bool = false) {
        fields.append(HeaderField(name, value, isVolatile: isVolatile))
    }
}
