import CLinux

/// What a descriptor is watched for, and what it became ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let read = Readiness(rawValue: 1)
    public static let write = Readiness(rawValue: 2)
    /// Error or hang-up: reported always, whatever was asked for. Reading or writing then says which.
    public static let failure = Readiness(rawValue: 4)

    var events: UInt32 {
        (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
    }

    init(events: UInt32) {
        self = []
        if events & EPOLLIN.rawValue != 0 { insert(.read) }
        if events & EPOLLOUT.rawValue != 0 { insert(.write) }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { insert(.failure) }
    }
}
