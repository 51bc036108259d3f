/// How many unacknowledged messages a consumer may hold: 1 after every start, doubled with each window acknowledged, so
/// that a message which kills its consumer charges few neighbours with a delivery.
public struct PrefetchPolicy: Equatable, Sendable {
    public let maximum: UInt16
    public private(set) var current: UInt16
    private let first: UInt16
    private var acknowledged = 0

    /// `maximum` is 1 to 2000 (what a quorum queue allows). `startsFull`: for one that only looks and acknowledges nothing.
    public init(maximum: UInt16, startsFull: Bool = false) {
        self.maximum = min(max(1, maximum), 2000)
        first = startsFull ? self.maximum : 1
        current = first
    }

    /// `count` more messages were acknowledged; returns whether `current` grew.
    public mutating func acknowledged(_ count: Int) -> Bool {
        guard current < maximum else { return false }
        acknowledged += count
        guard acknowledged >= Int(current) else { return false }
        acknowledged = 0
        current = UInt16(min(Int(maximum), Int(current) * 2))
        return true
    }

    /// A new connection, or a resume.
    public mutating func started() {
        current = first
        acknowledged = 0
    }
}
