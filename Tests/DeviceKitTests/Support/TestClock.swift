import DeviceKit
import Synchronization

/// Both clocks of a phone, moved by the test alone.
final class TestClock: DeviceClock {
    private let now: Mutex<Int64>
    /// How wrong the phone's wall clock is, milliseconds.
    private let offset: Int64

    init(_ start: Int64 = 1_790_000_000_000, offset: Int64 = 0) {
        now = Mutex(start)
        self.offset = offset
    }

    func wall() -> Int64 { now.withLock { $0 } + offset }
    func monotonic() -> Int64 { now.withLock { $0 } }
    func advance(by milliseconds: Int64) { now.withLock { $0 += milliseconds } }
    var trueTime: Int64 { now.withLock { $0 } }
}
