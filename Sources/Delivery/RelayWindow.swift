/// How many messages are on their way to the broker at once. A suspect (a row that may have killed relays) goes alone.
public struct RelayWindow: Equatable, Sendable {
    public let size: Int
    public private(set) var inFlight = 0

    public init(size: Int) { self.size = size }

    public var free: Int { max(0, size - inFlight) }
    public var isIdle: Bool { inFlight == 0 }

    public mutating func started(_ count: Int = 1) { inFlight += count }
    public mutating func ended() { inFlight -= 1 }

    /// What each of `parties` may take now; at least 1 while anything is free.
    public func portion(of parties: Int) -> Int {
        guard free > 0, parties > 0 else { return 0 }
        return max(1, free / parties)
    }
}
