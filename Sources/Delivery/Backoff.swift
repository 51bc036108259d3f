/// When a hint that the provider did not take is sent again (B1): exponential with full jitter over a floor.
///
/// | failures before | waits at most |        | what the provider said     | waits at least                |
/// |----------------:|--------------:|--------|----------------------------|-------------------------------|
/// |               0 |           2 s |        | APNs `TooManyRequests`     | 2 min, or `Retry-After`       |
/// |               1 |           4 s |        | FCM 429                    | `Retry-After`, else 60 s      |
/// |               2 |           8 s |        | FCM 5xx                    | 10 s, or `Retry-After`        |
/// |               … |       doubled |        | APNs 5xx and all else      | `Retry-After`, else nothing   |
/// |       9 or more |        15 min |        | any `Retry-After`          | 1 h at most is heeded         |
///
/// The wait is the larger of the floor and a random part of the ceiling.
public struct Backoff: Equatable, Sendable {
    public var base: Duration = .seconds(2)
    public var cap: Duration = .seconds(900)
    /// More than this is never heeded of a `Retry-After`.
    public var longestRetryAfter: Duration = .seconds(3600)
    public var apnsDeviceFloor: Duration = .seconds(120)
    public var fcmQuotaFloor: Duration = .seconds(60)
    public var fcmServerFloor: Duration = .seconds(10)

    public init() {}

    /// From this many failures on the ceiling does not grow.
    public static let steps = 10

    /// The longest wait after that many earlier failures.
    public func ceiling(failures: Int) -> Duration {
        guard failures < Self.steps - 1 else { return cap }
        return min(cap, base * (1 << max(0, failures)))
    }

    /// The wait; `jitter` is a random number from 0 to 1, drawn by the caller.
    public func delay(failures: Int, floor: Duration = .zero, jitter: Double) -> Duration {
        max(floor, ceiling(failures: failures) * jitter)
    }

    /// What the provider's answer asks for at least. `retryAfter` in seconds.
    public func floor(provider: Provider, status: Int?, reason: String?, retryAfter: Int?) -> Duration {
        let asked = retryAfter.map { min(longestRetryAfter, .seconds(max(0, $0))) }
        switch (provider, status) {
        case (.apns, 429?) where reason == "TooManyRequests": return max(apnsDeviceFloor, asked ?? .zero)
        case (.fcm, 429?): return asked ?? fcmQuotaFloor
        case (.fcm, let status?) where (500...599).contains(status): return max(fcmServerFloor, asked ?? .zero)
        default: return asked ?? .zero
        }
    }
}
