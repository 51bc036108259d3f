/// Data on a log line.
public enum LogValue: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)

    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Whatever describes itself; never for what may hold a secret.
    public static func of(_ value: some CustomStringConvertible & Sendable) -> LogValue { .string(value.description) }

    public static func count(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }
}
