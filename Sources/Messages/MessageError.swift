/// Why a message cannot be read; either sends it to a dead-letter queue, and neither text repeats the message.
public enum MessageError: Error, Equatable, CustomStringConvertible {
    case malformed(String)
    case unknownVersion(Int)

    public var description: String {
        switch self {
        case .malformed(let what): "malformed: \(what)"
        case .unknownVersion(let version): "unknown version \(version)"
        }
    }
}
