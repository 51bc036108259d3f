/// Counts as people read them: every digit below 100,000, then thousands or millions, never wider than seven columns.
package enum NumberText {
    package static func format(_ number: Int) -> String {
        switch number {
        case ..<100_000: grouped(number)
        case ..<100_000_000: grouped(number / 1000) + "k"
        default: grouped(number / 1_000_000) + "M"
        }
    }

    /// Every digit, in groups of three.
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// A rate a second: one decimal below ten.
    package static func rate(_ rate: Double) -> String {
        guard rate > 0 else { return "0" }
        if rate >= 9.95 { return format(Int(rate.rounded())) }
        let tenths = max(1, Int((rate * 10).rounded()))
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `1 row`, `2 rows`.
    package static func counted(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
    }
}
