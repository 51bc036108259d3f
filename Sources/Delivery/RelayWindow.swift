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
    /// How many of `waiting` messages are handed over now: all of them if there is room, else none until there is room for
    /// a fair number. One at a time, as confirms trickle in, would cost the broker and us a wake-up for each.
    public func handover(of waiting: Int) -> Int {
        waiting <= free || free >= max(1, size / 4) ? min(waiting, free) : 0
    }
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

    /// What each of `busy` parties may claim now, and each of `quiet` ones, which found nothing last time: a tenth of the room
    /// is set aside for the quiet together. At least 1 each while there is room.
    public func portions(busy: Int, quiet: Int) -> (busy: Int, quiet: Int) {
        guard room > 0, busy + quiet > 0 else { return (0, 0) }
        guard busy > 0 else { return (0, max(1, room / quiet)) }
        let aside = quiet > 0 ? room / 10 : 0
        return (max(1, (room - aside) / busy), quiet > 0 ? max(1, aside / quiet) : 0)
    }
}
