public import Delivery

/// What a push service keeps for one installation that it cannot reach. APNs keeps one notification of an app, the latest;
/// FCM keeps a hundred messages, and beyond that drops them all and says so. Neither keeps anything for longer than it
/// allows.
public struct PushQueue: Equatable, Sendable {
    public enum Delivery: Equatable, Sendable {
        case message(PushMessage)
        case deletedMessages
    }

    /// FCM's limit of messages that cannot be collapsed.
    public static let limit = 100
    /// FCM forgets what a device did not fetch for four weeks, and then says that something was deleted.
    public static let longestStay: Int64 = 28 * 86_400_000

    public let platform: Platform
    public private(set) var held: [PushMessage] = []
    public private(set) var hasDropped = false
    private var oldest: Int64?

    public init(platform: Platform) { self.platform = platform }

    public mutating func hold(_ message: PushMessage, now: Int64) {
        guard platform == .android else {
            held = [message]
            return
        }
        oldest = oldest ?? now
        held.append(message)
        guard held.count > PushQueue.limit else { return }
        held = []
        hasDropped = true
    }

    /// The device is there.
    public mutating func release(now: Int64) -> [Delivery] {
        defer {
            held = []
            hasDropped = false
            oldest = nil
        }
        if platform == .android, hasDropped || oldest.map({ now - $0 > PushQueue.longestStay }) ?? false {
            return [.deletedMessages]
        }
        return held.filter { $0.expiresAt > now }.map { .message($0) }
    }
}
