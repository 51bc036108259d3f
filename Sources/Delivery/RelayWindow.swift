/// How many messages are on their way to the broker at once, and how many rows are claimed ahead of them, so that the next
/// are there as soon as a confirm makes room: at most twice as many. A suspect (a row that may have killed relays) goes
/// alone.
public struct RelayWindow: Equatable, Sendable {
    public let size: Int
    /// Claimed and not yet handed to the broker.
    public private(set) var held = 0
    public private(set) var inFlight = 0

    public init(size: Int) { self.size = size }

    /// How many messages may be handed to the broker now.
    public var free: Int { max(0, size - inFlight) }
    /// How many rows may be claimed now.
    public var room: Int { max(0, 2 * size - held) }
    /// Whether there is room for a claim of many rows: one of a few costs nearly as much.
    public var isRoomy: Bool { room >= size }
    public var isIdle: Bool { held == 0 && inFlight == 0 }

    public mutating func claimed(_ count: Int) { held += count }
    public mutating func givenBack(_ count: Int) { held -= count }

    public mutating func started(_ count: Int) {
        held -= count
        inFlight += count
    }

    public mutating func ended(_ count: Int) { inFlight -= count }

    /// What each of `parties` may claim now; at least 1 while there is room.
    public func portion(of parties: Int) -> Int {
        guard room > 0, parties > 0 else { return 0 }
        return max(1, room / parties)
    }
}
