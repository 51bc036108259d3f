/// The `Retry-After` header and the dates of HTTP (RFC 9110, 5.6.7 and 10.2.3).
public enum RetryAfter {
    /// Longer wishes are cut: an outage is looked at again within the hour.
    public static let longest = 3600

    /// Seconds from `now` (epoch seconds), 0 to `longest`; nil for what is neither a number nor a date.
    public static func seconds(_ text: some StringProtocol, now: Int64) -> Int? {
        let trimmed = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than fit are a long time too.
            return min(Int(trimmed) ?? longest, longest)
        }
        return date(trimmed).map { Int(min(max($0 - now, 0), Int64(longest))) }
    }

    /// Epoch seconds of an HTTP date in any of its three forms.
    public static func date(_ text: some StringProtocol) -> Int64? {
        let words = String(text).split(whereSeparator: { " ,-".contains($0) }).map(String.init)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where words[5] == "GMT" && words[3].count == 4:
            return instant(day: words[1], month: words[2], year: Int(words[3]), time: words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where words[5] == "GMT" && words[3].count == 2:
            return instant(
                day: words[1], month: words[2], year: Int(words[3]).map { $0 < 70 ? 2000 + $0 : 1900 + $0 },
                time: words[4])
        // Sun Nov  6 08:49:37 1994
        case 5: return instant(day: words[2], month: words[1], year: Int(words[4]), time: words[3])
        default: return nil
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func instant(day: String, month: String, year: Int?, time: String) -> Int64? {
        let clock = time.split(separator: ":").compactMap { Int($0) }
        guard let day = Int(day), (1...31).contains(day), let month = months.firstIndex(of: month), let year,
            (1970...9999).contains(year), clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        return Int64(days(year: year, month: month + 1, day: day)) * 86_400
            + Int64(clock[0] * 3600 + clock[1] * 60 + clock[2])
    }

    /// Days since 1970-01-01 in the Gregorian calendar; years begin in March so that the leap day is the last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
