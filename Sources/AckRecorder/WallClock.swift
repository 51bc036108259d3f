import FoundationEssentials

/// The host's clock, for display only: nothing is decided by it.
enum WallClock {
    static func milliseconds() -> Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}
