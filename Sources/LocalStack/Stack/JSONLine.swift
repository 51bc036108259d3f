import Messages

/// One line of a log, as far as the laboratory reads logs: its texts and whole numbers on the top level.
public struct JSONLine: Sendable {
    public let texts: [String: String]
    public let numbers: [String: Int64]

    /// nil if it is no JSON object.
    public init?(_ line: some StringProtocol) {
        guard let fields = try? JSONValue(parsing: Array(line.utf8)).object else { return nil }
        texts = fields.compactMapValues(\.string)
        numbers = fields.compactMapValues { $0.integer.map { Int64($0) } }
    }
}
