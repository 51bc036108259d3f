/// A binding key of a topic exchange: words between dots, `*` for one word, `#` for any number of them.
struct TopicPattern: Equatable, Sendable {
    private let words: [Substring]

    init(_ text: String) { words = text.split(separator: ".", omittingEmptySubsequences: false) }

    func matches(_ key: String) -> Bool {
        Self.matches(words[...], key.split(separator: ".", omittingEmptySubsequences: false)[...])
    }

    private static func matches(_ pattern: ArraySlice<Substring>, _ key: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return key.isEmpty }
        let rest = pattern.dropFirst()
        if first == "#" {
            return (key.startIndex...key.endIndex).contains { matches(rest, key[$0...]) }
        }
        guard let word = key.first, first == "*" || first == word else { return false }
        return matches(rest, key.dropFirst())
    }
}
