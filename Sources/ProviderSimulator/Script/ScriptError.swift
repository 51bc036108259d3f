/// What is wrong with a script, a configuration or a call of the control port: one line with its place.
public struct ScriptError: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension JSONValue {
    /// `place` is what the bytes are: a file's name, or a word.
    init(ours bytes: [UInt8], at place: String) throws(ScriptError) {
        guard let value = JSONValue(parsing: bytes) else {
            throw ScriptError("\(place): \(JSONValue.fault(in: bytes) ?? "not valid JSON")")
        }
        self = value
    }
}
