import Messages

/// Numbers with a fraction, as JSON takes them.
enum Decimal {
    /// Three places, never an exponent.
    static func text(_ number: Double) -> String {
        let thousandths = Int64((number * 1000).rounded())
        let fraction = String(abs(thousandths) % 1000)
        let padded = String(repeating: "0", count: 3 - fraction.count) + fraction
        return "\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1000).\(padded)"
    }
}

extension JSONWriter {
    /// A duration in seconds; left out if there is none.
    mutating func seconds(_ name: String, _ duration: Duration?) {
        guard let duration else { return }
        key(name)
        value(.decimal(Decimal.text(duration / .seconds(1))))
    }
}
