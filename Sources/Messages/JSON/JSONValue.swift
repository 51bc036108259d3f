/// A parsed JSON value. Numbers that are not 64-bit integers keep their text, so that an amount is never rounded.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses exactly one value; at most 64 levels deep, no key twice in an object.
    public init(parsing bytes: [UInt8]) throws(MessageError) {
        var parser = JSONParser(bytes)
        self = try parser.document()
    }

    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// Canonical bytes: no white space, keys in byte order, the shortest escapes; equal values have equal bytes.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
