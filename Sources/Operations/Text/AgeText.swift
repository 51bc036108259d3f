import Daemon
public import Postgres

/// Durations and instants as people read them: the two largest units, and UTC to the second.
package enum AgeText {
    /// `0s`, `42s`, `3m12s`, `2h05m`, `3d04h`; at most six columns below a hundred days.
    package static func format(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if days > 0 { return "\(days)d\(two(hours % 24))h" }
        if hours > 0 { return "\(hours)h\(two(minutes % 60))m" }
        if minutes > 0 { return "\(minutes)m\(two(seconds % 60))s" }
        return "\(seconds)s"
    }

    /// `(3m12s ago)`, `(in 42s)`.
    package static func distance(_ instant: Timestamp, from now: Timestamp) -> String {
        instant > now ? "in \(format(instant - now))" : "\(format(now - instant)) ago"
    }
}

extension Timestamp {
    /// `2026-12-01 03:12:45Z`
    public var utcText: String {
        guard self != .infinity else { return "never" }
        let text = isoText
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
    }

    /// `2026-12-01T03:12:45.123Z`
    public var isoText: String { Instant.text(milliseconds) }
}
