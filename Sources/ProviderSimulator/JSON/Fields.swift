/// The members of a JSON object that is ours to define: typed, and none that we don't know.
struct Fields {
    private let value: JSONValue
    let place: String

    init(_ value: JSONValue, at place: String, known: [String]) throws(ScriptError) {
        guard let members = value.members else { throw ScriptError("\(place) must be an object") }
        var seen: Set<String> = []
        for member in members {
            guard known.contains(member.key) else {
                throw ScriptError(
                    "\(place): \"\(member.key)\" is not known here, only \(known.joined(separator: ", "))")
            }
            guard seen.insert(member.key).inserted else {
                throw ScriptError("\(place): \"\(member.key)\" is given twice")
            }
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

    func word(_ name: String, of words: [String]) throws(ScriptError) -> String? {
        guard let text = try string(name) else { return nil }
        guard words.contains(text) else {
            throw ScriptError(
                "\(place).\(name) must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
        }
        return text
    }

    func integer(_ name: String) throws(ScriptError) -> Int64? {
        guard let found = self[name] else { return nil }
        guard let number = found.integer else { throw ScriptError("\(place).\(name) must be a whole number") }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(ScriptError) -> Int64? {
        guard let number = try integer(name) else { return nil }
        guard range.contains(number) else {
            throw ScriptError("\(place).\(name) must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(ScriptError) -> Double? {
        guard let found = self[name] else { return nil }
        guard let number = found.number else { throw ScriptError("\(place).\(name) must be a number") }
        guard range.contains(number) else {
            throw ScriptError("\(place).\(name) must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws(ScriptError) -> Bool { try optionalFlag(name) ?? false }

    func optionalFlag(_ name: String) throws(ScriptError) -> Bool? {
        guard let found = self[name] else { return nil }
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
        for (index, element) in try array(name).enumerated() {
            guard let text = element.string else { throw ScriptError("\(place).\(name)[\(index)] must be a string") }
            texts.append(text)
        }
        return texts
    }
}
