/// Header fields as text: `Name: value`, each ended by a line feed.
enum FieldLines {
    /// By name in lower case; what has no colon is left out.
    static func read(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value.reversed().drop { $0 == " " }.reversed())
        }
        return fields
    }
}
