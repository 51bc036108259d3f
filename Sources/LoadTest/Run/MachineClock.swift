import Glibc

/// The machine's clock, by which PostgreSQL and the simulator on the same machine stamp too.
enum MachineClock {
    /// Epoch microseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
