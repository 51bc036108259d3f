public import HTTPServer

/// Reads settings from the environment and collects every error. What it returns may be used only after `finish()`.
///
/// A required value that is missing or bad is reported and replaced by a stand-in, so that one run shows all faults.
public final class EnvironmentReader {
    private let environment: [String: String]
    private var problems: [String] = []
    /// Every setting asked for, in that order.
    public private(set) var settings: [Setting] = []
    private var known: Set<String> = []

    public init(_ environment: [String: String]) { self.environment = environment }

    // MARK: Values

    public func string(_ name: String, default value: String) -> String {
        optionalString(name, default: value) ?? value
    }

    public func string(_ name: String) -> String {
        if let value = optionalString(name) { return value }
        report(name, "is not set")
        return ""
    }

    public func optionalString(_ name: String) -> String? { optionalString(name, default: nil) }

    public func integer(_ name: String, default value: Int, in range: ClosedRange<Int> = 0...Int.max) -> Int {
        defaulted(name, default: value, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    public func duration(
        _ name: String, default value: Duration, in range: ClosedRange<Duration> = .zero ... .seconds(366 * 86_400)
    ) -> Duration {
        let bounds = "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        return defaulted(
            name, default: value, expected: "a duration such as 250ms, 15s, 2m, 1h or 30d, from \(bounds)",
            spelling: DurationText.format
        ) {
            DurationText.parse($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    public func bool(_ name: String, default value: Bool) -> Bool {
        defaulted(name, default: value, expected: "true or false") { Bool($0) }
    }

    public func listenAddress(_ name: String, default value: Address) -> Address {
        defaulted(name, default: value, expected: "address:port such as 127.0.0.1:8080 or [::]:0") { Address($0) }
    }

    /// Any other form; `parse` throws or returns nil when the text is bad. Nil also when it is not set: `required` reports that.
    public func value<Value>(
        _ name: String, required: Bool = true, expected: String, parse: (String) throws -> Value?
    ) -> Value? {
        guard let text = optionalString(name) else {
            if required { report(name, "is not set (\(expected))") }
            return nil
        }
        return parsed(text, name: name, expected: expected, isSecret: false, parse: parse)
    }

    // MARK: Secrets: `NAME`, or `NAME_FILE` with the path of a file that holds it

    public func secret(_ name: String) -> Secret<String> {
        if let value = optionalSecret(name) { return value }
        report(name, "is not set (nor \(name)_FILE)")
        return Secret("")
    }

    public func optionalSecret(_ name: String) -> Secret<String>? {
        known.formUnion([name, "\(name)_FILE"])
        let direct = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        let path = environment["\(name)_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        settings.append(Setting(name: name, value: direct ?? path == nil ? nil : "•••", isDefault: false))
        switch (direct, path) {
        case (nil, nil): return nil
        case (let value?, nil): return Secret(value)
        case (nil, let path?):
            do {
                return Secret(try SettingsFile.text(path))
            } catch {
                report("\(name)_FILE", error.line)
                return Secret("")
            }
        case (.some, .some):
            report(name, "is set twice, also as \(name)_FILE: keep one")
            return Secret("")
        }
    }

    /// A secret with a form of its own, such as a URL with a password; its text is never printed. Nil after an error, or when not set.
    public func secret<Value: Sendable>(
        _ name: String, required: Bool = true, expected: String, parse: (String) throws -> Value?
    ) -> Secret<Value>? {
        guard let text = optionalSecret(name) else {
            if required { report(name, "is not set, nor \(name)_FILE (\(expected))") }
            return nil
        }
        // Empty only after an error that is already reported.
        guard !text.revealed.isEmpty else { return nil }
        return parsed(text.revealed, name: name, expected: expected, isSecret: true, parse: parse).map { Secret($0) }
    }

    // MARK: Errors

    /// For rules that span several settings. `problem` goes on after the name: "must be shorter than …".
    public func report(_ name: String, _ problem: String) { problems.append("\(name) \(problem)") }

    public var hasProblems: Bool { !problems.isEmpty }

    /// Throws all errors at once; among them every variable of ours that is one slip away from a name asked for.
    public func finish() throws(CommandFailure) {
        let slips = unknownNames.compactMap { name -> String? in
            Spelling.nearest(to: name, among: known.filter { environment[$0] == nil }).map {
                "\(name) is not a setting: do you mean \($0)?"
            }
        }
        let all = problems + slips
        guard all.isEmpty else { throw CommandFailure(.configuration, all.joined(separator: "; ")) }
    }

    /// Variables that start as ours do and that nobody asked for; other services' settings are among them.
    public var unknownNames: [String] {
        environment.keys.filter { $0.hasPrefix("MOBILE_DELIVERY_") && !known.contains($0) }.sorted()
    }

    // MARK: -

    private func optionalString(_ name: String, default value: String?) -> String? {
        known.insert(name)
        let text = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        settings.append(Setting(name: name, value: text ?? value, isDefault: text == nil))
        return text
    }

    private func defaulted<Value>(
        _ name: String, default value: Value, expected: String, spelling: (Value) -> String = { "\($0)" },
        parse: (String) -> Value?
    ) -> Value {
        guard let text = optionalString(name, default: spelling(value)) else { return value }
        return parsed(text, name: name, expected: expected, isSecret: false, parse: parse) ?? value
    }

    private func parsed<Value>(
        _ text: String, name: String, expected: String, isSecret: Bool, parse: (String) throws -> Value?
    ) -> Value? {
        do {
            if let value = try parse(text) { return value }
            report(name, isSecret ? "must be \(expected)" : "must be \(expected), not \"\(text)\"")
        } catch {
            report(name, "must be \(expected): \(error)")
        }
        return nil
    }
}
