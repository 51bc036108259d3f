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
    /// Also of `56480.0` and `1e3`, which are integers to JSON Schema and are written by some languages.
    public var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .decimal(let text): JSONValue.whole(text)
        case .null, .bool, .string, .array, .object: nil
        }
    }
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    private static func whole(_ text: String) -> Int64? {
        guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
            return Double(text).flatMap { Int64(exactly: $0) }
        }
        let halves = text.split(separator: "." as Character)
        guard halves.count == 2, halves[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        return Int64(halves[0])
    }

    /// Canonical bytes: no white space, keys in byte order, the shortest escapes; equal values have equal bytes.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
