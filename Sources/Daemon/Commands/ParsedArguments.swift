/// What a command was called with: only options and arguments that it declares, every required one present.
public struct ParsedArguments: Equatable, Sendable {
    /// Last one wins when an option is repeated; `values(of:)` has all.
    private var valuesByName: [String: [String]] = [:]
    /// In the order of the command's `arguments`.
    public internal(set) var positional: [String] = []

    public init() {}

    mutating func add(_ value: String, to name: String) { valuesByName[name, default: []].append(value) }

    /// Whether a flag or option was given.
    public func has(_ name: String) -> Bool { valuesByName[name] != nil }

    public func value(of name: String) -> String? { valuesByName[name]?.last }

    public func values(of name: String) -> [String] { valuesByName[name] ?? [] }

    /// The value of an option that the command declares as required.
    public func required(_ name: String) throws(CommandFailure) -> String {
        guard let value = value(of: name) else {
            throw CommandFailure(.usage, "option --\(name) is missing: give it a value")
        }
        return value
    }

    /// A whole number in `range`, or `fallback` when the option is absent.
    public func integer(
        _ name: String, default fallback: Int, in range: ClosedRange<Int> = 0...Int.max
    ) throws(CommandFailure) -> Int {
        guard let text = value(of: name) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFailure(
                .usage,
                "option --\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
            )
        }
        return number
    }
}
