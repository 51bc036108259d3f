/// A value in the arguments of a queue or in a policy: the only kinds that this topology uses.
public enum DefinitionValue: Hashable, Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)

    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    public var number: Int? {
        guard case .number(let number) = self else { return nil }
        return number
    }
}

extension DefinitionValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        }
    }
}

extension DefinitionValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        }
    }
}
