import FoundationEssentials

/// One line of a log, as far as the laboratory reads logs: its fields on the top level.
public struct JSONLine: Sendable {
    public let texts: [String: String]
    public let numbers: [String: Int64]

    /// nil if it is no JSON object.
    public init?(_ line: some StringProtocol) {
        guard let fields = try? JSONDecoder().decode([String: Field].self, from: Data(line.utf8)) else { return nil }
        texts = fields.compactMapValues { if case .text(let text) = $0 { text } else { nil } }
        numbers = fields.compactMapValues { if case .number(let number) = $0 { number } else { nil } }
    }

    private enum Field: Decodable {
        case text(String)
        case number(Int64)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .other
            }
        }
    }
}
