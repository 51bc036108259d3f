public import Delivery

/// Reads the members of one object and names the member that is missing or of the wrong kind.
public struct JSONReader {
    private let members: [String: JSONValue]

    /// The bytes must be one JSON object.
    public init(_ bytes: [UInt8]) throws(MessageError) { try self.init(JSONValue(parsing: bytes)) }

    public init(_ value: JSONValue) throws(MessageError) {
        guard let members = value.object else { throw .malformed("not an object") }
        self.members = members
    }

    /// Throws `.unknownVersion` unless the member is exactly this number.
    public func version(_ known: Int, member name: String = "version") throws(MessageError) {
        let version = try integer(name)
        guard version == Int64(known) else { throw .unknownVersion(Int(clamping: version)) }
    }

    public func optional(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    public func required(_ name: String) throws(MessageError) -> JSONValue {
        guard let value = optional(name) else { throw .malformed("\(name) is missing") }
        return value
    }

    public func string(_ name: String) throws(MessageError) -> String {
        guard let text = try required(name).string else { throw wrong(name) }
        return text
    }

    public func optionalString(_ name: String) throws(MessageError) -> String? {
        optional(name) == nil ? nil : try string(name)
    }

    public func integer(_ name: String) throws(MessageError) -> Int64 {
        guard let number = try required(name).integer else { throw wrong(name) }
        return number
    }

    public func optionalInteger(_ name: String) throws(MessageError) -> Int64? {
        optional(name) == nil ? nil : try integer(name)
    }

    public func int(_ name: String) throws(MessageError) -> Int {
        guard let number = Int(exactly: try integer(name)) else { throw wrong(name) }
        return number
    }

    public func optionalInt(_ name: String) throws(MessageError) -> Int? {
        optional(name) == nil ? nil : try int(name)
    }

    /// A missing member reads as the default.
    public func bool(_ name: String, default standard: Bool) throws(MessageError) -> Bool {
        guard let value = optional(name) else { return standard }
        guard let flag = value.bool else { throw wrong(name) }
        return flag
    }

    public func optionalBool(_ name: String) throws(MessageError) -> Bool? {
        optional(name) == nil ? nil : try bool(name, default: false)
    }

    public func strings(_ name: String) throws(MessageError) -> [String] {
        var texts: [String] = []
        for element in try array(name) {
            guard let text = element.string else { throw wrong(name) }
            texts.append(text)
        }
        return texts
    }

    /// The names of all members, sorted.
    public var names: [String] { members.keys.sorted() }

    public func bytes(_ name: String) throws(MessageError) -> [UInt8] {
        guard let bytes = Base64.decode(try string(name)) else { throw wrong(name) }
        return bytes
    }

    public func optionalBytes(_ name: String) throws(MessageError) -> [UInt8]? {
        optional(name) == nil ? nil : try bytes(name)
    }

    public func identifier(_ name: String) throws(MessageError) -> Identifier {
        guard let identifier = Identifier(try string(name)) else { throw wrong(name) }
        return identifier
    }

    public func optionalIdentifier(_ name: String) throws(MessageError) -> Identifier? {
        optional(name) == nil ? nil : try identifier(name)
    }

    public func fingerprint(_ name: String) throws(MessageError) -> Fingerprint {
        guard let fingerprint = Fingerprint(try string(name)) else { throw wrong(name) }
        return fingerprint
    }

    /// A string that must be one of the enumeration's raw values.
    public func word<Word: RawRepresentable<String>>(
        _ name: String, as type: Word.Type = Word.self
    ) throws(MessageError) -> Word {
        guard let word = Word(rawValue: try string(name)) else { throw wrong(name) }
        return word
    }

    public func optionalWord<Word: RawRepresentable<String>>(
        _ name: String, as type: Word.Type = Word.self
    ) throws(MessageError) -> Word? {
        optional(name) == nil ? nil : try word(name)
    }

    public func object(_ name: String) throws(MessageError) -> JSONReader {
        guard let value = try required(name).object else { throw wrong(name) }
        return try JSONReader(.object(value))
    }

    public func array(_ name: String) throws(MessageError) -> [JSONValue] {
        guard let elements = try required(name).array else { throw wrong(name) }
        return elements
    }

    /// The three members `provider`, `environment` and `app`; a missing environment reads as "".
    public func route() throws(MessageError) -> Route {
        let route = Route(
            provider: try word("provider"), environment: try optionalString("environment") ?? "",
            app: try string("app"))
        guard route.isValid else { throw .malformed("no such route") }
        return route
    }

    private func wrong(_ name: String) -> MessageError { .malformed("\(name) is not what it should be") }
}
