public import DeviceKit
import Glibc

/// The clocks of this machine.
public struct SystemClock: DeviceClock {
    public init() {}

    public func wall() -> Int64 { SystemClock.read(CLOCK_REALTIME) }
    public func monotonic() -> Int64 { SystemClock.read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
