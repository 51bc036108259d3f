import Glibc

/// Wall clock as milliseconds since 1970, and its ISO 8601 spelling in UTC.
public enum Instant {
    public static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// `2026-02-03T04:05:06.789Z`
    public static func text(_ milliseconds: Int64) -> String {
        let seconds = Int64((Double(milliseconds) / 1_000).rounded(.down))
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = [Int64(parts.tm_year) + 1900, Int64(parts.tm_mon) + 1, Int64(parts.tm_mday)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int64($0), 2) }.joined(separator: ":")
        let day = "\(padded(date[0], 4))-\(padded(date[1], 2))-\(padded(date[2], 2))"
        return "\(day)T\(clock).\(padded(milliseconds - seconds * 1_000, 3))Z"
    }
}
