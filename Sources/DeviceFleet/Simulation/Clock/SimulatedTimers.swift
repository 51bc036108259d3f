/// The clocks of one phone in a simulation; its wall clock may be wrong.
struct SimulatedTimers: PhoneTimers {
    let loop: SimulationLoop
    /// Milliseconds that the phone's clock is ahead of the gateway's.
    var offset: Int64 = 0

    func wall() -> Int64 { loop.now + offset }
    func monotonic() -> Int64 { loop.now }
    func sleep(_ milliseconds: Int64) async { await loop.sleep(until: loop.now + max(milliseconds, 0)) }
    var executor: (any TaskExecutor)? { loop }
}
