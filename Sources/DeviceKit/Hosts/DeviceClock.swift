/// The phone's clocks. The wall clock may be wrong and may jump; it only decides when to try again and dates signatures.
public protocol DeviceClock: Sendable {
    /// Epoch milliseconds.
    func wall() -> Int64
    /// Milliseconds since an arbitrary moment, counting while the phone sleeps.
    func monotonic() -> Int64
}
