public import Postgres

/// Instants as operators type them.
public enum InstantText {
    /// `2026-12-01T03:00:00Z`, seconds and fractions left out or not, a space for the T, or an offset such as `+01:00`. Nil
    /// without a zone: at three in the morning nobody should have to guess whose.
    public static func parse(_ text: String) -> Timestamp? {
        let units = Array(text.utf8)
        guard units.count >= 17, units[4] == UInt8(ascii: "-"), units[7] == UInt8(ascii: "-"),
            units[10] == UInt8(ascii: "T") || units[10] == UInt8(ascii: " "), units[13] == UInt8(ascii: ":"),
            let year = number(units[0..<4]), let month = number(units[5..<7]), let day = number(units[8..<10]),
            let hour = number(units[11..<13]), let minute = number(units[14..<16]),
            (1970...9999).contains(year), (1...12).contains(month), (1...days(in: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        var rest = units[16...]
        guard let seconds = seconds(&rest), let offset = zone(rest) else { return nil }
        let date = daysSince1970(year, month, day) * 86_400
        let whole = date + hour * 3600 + minute * 60 - offset
        return Timestamp(microseconds: whole * 1_000_000 + seconds)
    }

    /// `:SS` with up to six places, in microseconds; zero if there are none.
    private static func seconds(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.first == UInt8(ascii: ":") else { return 0 }
        guard let seconds = number(rest.dropFirst().prefix(2)), (0...59).contains(seconds) else { return nil }
        rest = rest.dropFirst(3)
        guard rest.first == UInt8(ascii: ".") else { return seconds * 1_000_000 }
        let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...6).contains(digits.count) else { return nil }
        rest = rest.dropFirst(1 + digits.count)
        let padded = digits + [UInt8](repeating: UInt8(ascii: "0"), count: 6 - digits.count)
        return number(padded[...]).map { seconds * 1_000_000 + $0 }
    }

    /// In seconds east of Greenwich.
    private static func zone(_ rest: ArraySlice<UInt8>) -> Int64? {
        if rest.elementsEqual("Z".utf8) { return 0 }
        let units = Array(rest)
        guard units.count == 6, units[3] == UInt8(ascii: ":"), let hours = number(units[1..<3]),
            let minutes = number(units[4..<6]), hours <= 15, minutes <= 59
        else { return nil }
        let offset = hours * 3600 + minutes * 60
        switch units[0] {
        case UInt8(ascii: "+"): return offset
        case UInt8(ascii: "-"): return -offset
        default: return nil
        }
    }

    private static func number(_ units: some Collection<UInt8>) -> Int64? {
        var number: Int64 = 0
        for unit in units {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(unit) else { return nil }
            number = number * 10 + Int64(unit - UInt8(ascii: "0"))
        }
        return units.isEmpty ? nil : number
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let leapYears = { (year: Int64) in year / 4 - year / 100 + year / 400 }
        let before = (year - 1970) * 365 + leapYears(year - 1) - leapYears(1969)
        return before + (1..<month).reduce(0) { $0 + days(in: $1, of: year) } + day - 1
    }
}
