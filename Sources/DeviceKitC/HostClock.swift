import DeviceKit
import FoundationEssentials

/// The phone's clocks.
struct HostClock: DeviceClock {
    private static let start = ContinuousClock.now

    func wall() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
    /// `ContinuousClock` counts while the phone sleeps.
    func monotonic() -> Int64 { (ContinuousClock.now - HostClock.start) / .milliseconds(1) }
}

extension Duration {
    fileprivate static func / (duration: Duration, unit: Duration) -> Int64 { Int64((duration / unit) as Double) }
}
