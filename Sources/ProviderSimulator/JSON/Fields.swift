/// The members of a JSON object that is ours to define: typed, and none that we don't know.
struct Fields {
    private let value: JSONValue
    private let place: String

    init(_ value: JSONValue, at place: String, known: [String]) throws(ScriptError) {
        guard let members = value.members else { throw ScriptError("\(place) must be an object") }
        for member in members where !known.contains(member.key) {
            throw ScriptError("\(place): \"\(member.key)\" is not known here, only \(known.joined(separator: ", "))")
        }
        self.value = value
        self.place = place
    }

    /// Null counts as absent.
    subscript(_ name: String) -> JSONValue? { value[name] == .null ? nil : value[name] }

    func string(_ name: String) throws(ScriptError) -> String? {
        guard let found = self[name] else { return nil }
        guard let text = found.string else { throw ScriptError("\(place).\(name) must be a string") }
        return text
    }

    func integer(_ name: String) throws(ScriptError) -> Int64? {
        guard let found = self[name] else { return nil }
        guard let number = found.integer else { throw ScriptError("\(place).\(name) must be a whole number") }
        return number
    }

    func number(_ name: String) throws(ScriptError) -> Double? {
        guard let found = self[name] else { return nil }
        guard let number = found.number else { throw ScriptError("\(place).\(name) must be a number") }
        return number
    }

    func flag(_ name: String) throws(ScriptError) -> Bool {
        guard let found = self[name] else { return false }
        guard let flag = found.bool else { throw ScriptError("\(place).\(name) must be true or false") }
        return flag
    }

    func array(_ name: String) throws(ScriptError) -> [JSONValue] {
        guard let found = self[name] else { return [] }
        guard let elements = found.array else { throw ScriptError("\(place).\(name) must be a list") }
        return elements
    }

    func strings(_ name: String) throws(ScriptError) -> [String]? {
        guard self[name] != nil else { return nil }
        var texts: [String] = []
        for element in try array(name) {
            guard let text = element.string else { throw ScriptError("\(place).\(name) must be strings") }
            texts.append(text)
        }
        return texts
    }
}
