/// Colour, where there is a terminal that shows it.
public struct Style: Sendable {
    public let isColoured: Bool
    /// Columns to fill; text is wrapped to it, tables stay within 80.
    public let width: Int

    public init(isColoured: Bool, width: Int = 80) {
        self.isColoured = isColoured
        self.width = max(60, width)
    }

    public static let plain = Style(isColoured: false)

    package func alarm(_ text: String) -> String { paint(text, "31;1") }
    package func warning(_ text: String) -> String { paint(text, "33") }
    package func good(_ text: String) -> String { paint(text, "32") }
    package func heading(_ text: String) -> String { paint(text, "1") }
    package func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
