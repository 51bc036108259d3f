/// One line as JSON: time, level, message, then the data in the order of its names.
public struct LogLine: Equatable, Sendable {
    public var level: Log.Level
    public var message: String
    public var metadata: [LogKey: LogValue]
    /// Milliseconds since 1970.
    public var time: Int64

    public func encoded() -> String {
        var text = "{\"time\":\"\(Instant.text(time))\",\"level\":\"\(level)\",\"message\":"
        Self.append(quoted: message, to: &text)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            text += ","
            Self.append(quoted: key.name, to: &text)
            text += ":"
            switch value {
            case .string(let value): Self.append(quoted: value, to: &text)
            case .integer(let value): text += String(value)
            case .double(let value): text += value.isFinite ? String(value) : "null"
            case .bool(let value): text += String(value)
            }
        }
        return text + "}"
    }

    private static func append(quoted value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
