public import Messages

/// The part of JSON Schema 2020-12 that the schemas under `topology` use. A keyword that it does not know is a fault of the
/// schema, so that no rule is ever passed over.
public struct JSONSchema {
    public struct Fault: Error, Equatable, CustomStringConvertible {
        public var path: String
        public var rule: String
        public var description: String { "\(path.isEmpty ? "/" : path): \(rule)" }
    }

    public let root: JSONValue

    public init(_ bytes: [UInt8]) throws { root = try JSONValue(parsing: bytes) }

    public func check(_ value: JSONValue) throws { try check(value, against: root, at: "") }

    private func check(_ value: JSONValue, against schema: JSONValue, at path: String) throws {
        for (keyword, rule) in (schema.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let holds: Bool
            switch keyword {
            case "$schema", "$id", "title", "description", "then": holds = true
            case "type": holds = (rule.array ?? [rule]).contains { JSONSchema.isType($0.string ?? "", value) }
            case "const": holds = value == rule
            case "enum": holds = rule.array?.contains(value) ?? false
            case "minimum": holds = value.integer.map { $0 >= rule.integer ?? 0 } ?? true
            case "maximum": holds = value.integer.map { $0 <= rule.integer ?? 0 } ?? true
            case "minLength": holds = value.string.map { $0.unicodeScalars.count >= rule.integer ?? 0 } ?? true
            case "maxLength": holds = value.string.map { $0.unicodeScalars.count <= rule.integer ?? 0 } ?? true
            case "pattern": holds = try value.string.map { try $0.contains(Regex(rule.string ?? "")) } ?? true
            case "contentEncoding": holds = value.string.map { Base64.decode($0) != nil } ?? true
            case "minItems": holds = value.array.map { $0.count >= rule.integer ?? 0 } ?? true
            case "maxItems": holds = value.array.map { $0.count <= rule.integer ?? 0 } ?? true
            case "uniqueItems":
                let items = value.array ?? []
                holds = rule.bool != true || items.indices.allSatisfy { !items[..<$0].contains(items[$0]) }
            case "anyOf":
                holds = (rule.array ?? []).contains { (try? check(value, against: $0, at: path)) != nil }
            case "items":
                for (index, element) in (value.array ?? []).enumerated() {
                    try check(element, against: rule, at: "\(path)/\(index)")
                }
                holds = true
            case "properties":
                for (name, member) in rule.object ?? [:] {
                    if let found = value[name] { try check(found, against: member, at: "\(path)/\(name)") }
                }
                holds = true
            case "required":
                holds = value.object == nil || (rule.array ?? []).allSatisfy { value[$0.string ?? ""] != nil }
            case "additionalProperties":
                let known = schema["properties"]?.object ?? [:]
                holds = rule.bool != false || (value.object ?? [:]).keys.allSatisfy { known[$0] != nil }
            case "allOf":
                for part in rule.array ?? [] { try check(value, against: part, at: path) }
                holds = true
            case "if":
                if (try? check(value, against: rule, at: path)) != nil, let then = schema["then"] {
                    try check(value, against: then, at: path)
                }
                holds = true
            default: throw Fault(path: path, rule: "unknown keyword \(keyword)")
            }
            guard holds else { throw Fault(path: path, rule: keyword) }
        }
    }

    private static func isType(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("integer", .integer), ("null", .null),
            ("boolean", .bool), ("number", .integer), ("number", .decimal):
            true
        default: false
        }
    }

    /// The schema of a message type, for example `hint.v1`, in `topology/messages`.
    public static func ofMessage(_ type: String) throws -> JSONSchema {
        try JSONSchema(Array(Repository.text("topology/messages/\(type).schema.json").utf8))
    }
}
