extension String {
    /// Words in lines of at most `width` columns; every line but the first begins with `indent` spaces, which count.
    package func wrapped(to width: Int, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        // Spaces at the beginning are meant.
        var line = String(prefix { $0 == " " })
        var hasWord = false
        for word in split(separator: " ") {
            if hasWord, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin + word
            } else {
                line += hasWord ? " \(word)" : String(word)
            }
            hasWord = true
        }
        return lines + [line]
    }

    /// What others chose, on one line and without what a terminal would obey.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
