/// One value of an AMQP header table.
public enum HeaderValue: Hashable, Sendable {
    case string(String)
    /// A byte string, or a string that is not UTF-8.
    case bytes([UInt8])
    /// Any integer that fits 64 signed bits, of whatever width it travelled.
    case integer(Int64)
    case boolean(Bool)
    case double(Double)
    /// Seconds since 1970.
    case timestamp(UInt64)
    case array([HeaderValue])
    case table([String: HeaderValue])
    /// No value, or a kind that we never send and don't read (decimal).
    case void
}

/// Headers of a message by name.
public typealias Headers = [String: HeaderValue]

extension HeaderValue {
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var array: [HeaderValue]? { if case .array(let value) = self { value } else { nil } }
    public var table: Headers? { if case .table(let value) = self { value } else { nil } }
}

extension HeaderValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension HeaderValue {
    /// Bytes of the encoded value, with its kind.
    var encodedSize: Int {
        switch self {
        case .string(let text): 1 + 4 + text.utf8.count
        case .bytes(let bytes): 1 + 4 + bytes.count
        case .integer, .double, .timestamp: 1 + 8
        case .boolean: 1 + 1
        case .array(let values): values.reduce(1 + 4) { $0 + $1.encodedSize }
        case .table(let table): 1 + HeaderValue.encodedSize(of: table)
        case .void: 1
        }
    }

    /// Bytes of the encoded table, with its length.
    static func encodedSize(of table: Headers) -> Int {
        table.reduce(4) { $0 + 1 + $1.key.utf8.count + $1.value.encodedSize }
    }
}
