/// A regular expression of a policy or permission, as the broker applies it: found anywhere, unless anchored.
struct NamePattern {
    private let regex: Regex<AnyRegexOutput>

    /// Nil if the text is no regular expression.
    init?(_ text: String) {
        guard let regex = try? Regex(text) else { return nil }
        self.regex = regex
    }

    func finds(_ name: String) -> Bool { name.firstMatch(of: regex) != nil }
}
