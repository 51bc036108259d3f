/// What was used of the quotas, project by project and phone by phone. Pure.
struct QuotaLedger: Sendable {
    private enum Kind {
        case project
        case deviceMinute
        case deviceHour
        case apnsDevice
        case background
        case collapsible
    }

    private struct Key: Hashable {
        var kind: Kind
        var name: String
    }

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    private let quotas: Quotas
    private var buckets: [Key: TokenBucket] = [:]

    init(_ quotas: Quotas) { self.quotas = quotas }

    /// Milliseconds until the project may send again; 0: it may, and this one is counted. The same below.
    mutating func project(_ name: String, perMinute: Int?, now: Int64) -> Int64 {
        take(.project, perMinute ?? quotas.fcmProjectPerMinute, Self.minute, name, now)
    }

    mutating func fcmDevice(_ token: String, now: Int64) -> Int64 {
        max(
            take(.deviceMinute, quotas.fcmDevicePerMinute, Self.minute, token, now),
            take(.deviceHour, quotas.fcmDevicePerHour, Self.hour, token, now))
    }

    mutating func apnsDevice(_ token: String, now: Int64) -> Int64 {
        take(.apnsDevice, quotas.apnsDevicePerMinute, Self.minute, token, now)
    }

    /// Here the message was accepted, and waits so long for its delivery.
    mutating func background(_ token: String, now: Int64) -> Int64 {
        take(.background, quotas.apnsBackgroundPerHour, Self.hour, token, now)
    }

    /// The same: one every three minutes once the burst is used up.
    mutating func collapsible(_ token: String, now: Int64) -> Int64 {
        take(.collapsible, quotas.fcmCollapsibleBurst, 3 * Self.minute, of: 1, token, now)
    }

    private mutating func take(
        _ kind: Kind, _ burst: Int?, _ period: Int64, of count: Int? = nil, _ name: String, _ now: Int64
    ) -> Int64 {
        guard let burst else { return 0 }
        let key = Key(kind: kind, name: name)
        if buckets[key] == nil, buckets.count >= 100_000 { forgetFull(now) }
        return buckets[
            key, default: TokenBucket(burst: burst, perMilliseconds: period, of: count ?? burst, now: now)
        ].take(now)
    }

    private mutating func forgetFull(_ now: Int64) {
        for key in Array(buckets.keys) where buckets[key]?.isFull(now) == true { buckets[key] = nil }
    }
}
