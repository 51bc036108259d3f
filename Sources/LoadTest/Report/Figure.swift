import Daemon
import Glibc

/// Numbers as people read and write them.
enum Figure {
    /// At most `digits` behind the point, none that is zero.
    static func text(_ number: Double, _ digits: Int = 3) -> String {
        guard number.isFinite else { return "-" }
        let scale = power(10, Double(digits))
        let scaled = Int64((abs(number) * scale).rounded())
        let whole = scaled / Int64(scale)
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return sign + "\(whole)" }
        var rest = String(scaled % Int64(scale))
        rest = String(repeating: "0", count: digits - rest.count) + rest
        while rest.last == "0" { rest.removeLast() }
        return sign + "\(whole)" + (rest.isEmpty ? "" : ".\(rest)")
    }

    /// `12,345`.
    static func count(_ number: Int) -> String {
        var text = String(abs(number))
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return (number < 0 ? "-" : "") + text
    }

    /// Microseconds as milliseconds or seconds: `0.84 ms`, `12 ms`, `1.25 s`.
    static func time(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<10_000: text(microseconds / 1e3, 2) + " ms"
        case ..<1_000_000: text(microseconds / 1e3, 0) + " ms"
        default: text(microseconds / 1e6, 2) + " s"
        }
    }

    /// `90s`, `1m`.
    static func seconds(_ text: String) -> Double? {
        DurationText.parse(text).map { $0 / .milliseconds(1) / 1e3 }
    }

    /// Whole seconds as `1:05` or `12 s`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds).rounded())
        if whole < 60 { return "\(whole) s" }
        let rest = whole % 60
        return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest) min"
    }
}

func logarithm(_ number: Double) -> Double { Glibc.log(number) }
func power(_ base: Double, _ exponent: Double) -> Double { Glibc.pow(base, exponent) }
