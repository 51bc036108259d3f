public import DeviceKit

/// The time that a simulated phone lives in, and where its tasks run.
public protocol PhoneTimers: DeviceClock {
    /// Returns after that many milliseconds, at once when the simulation is over.
    func sleep(_ milliseconds: Int64) async
    /// `nil`: the system's threads.
    var executor: (any TaskExecutor)? { get }
}

/// Real time, for phones against a real gateway.
public struct RealTimers: PhoneTimers {
    private let clock = SystemClock()

    public init() {}

    public func wall() -> Int64 { clock.wall() }
    public func monotonic() -> Int64 { clock.monotonic() }
    public func sleep(_ milliseconds: Int64) async { try? await Task.sleep(for: .milliseconds(max(milliseconds, 0))) }
    public var executor: (any TaskExecutor)? { nil }
}
