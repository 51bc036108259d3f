/// Counts of whole microseconds in buckets that are less than a hundredth of their value wide, as HdrHistogram has them: 128 of
/// equal width up to each power of two. Two of them add up to what one would have counted alone.
public struct Histogram: Equatable, Sendable {
    private static let bits = 7
    private static let width = 1 << bits

    private var counts: [UInt64] = []
    public private(set) var count: UInt64 = 0
    public private(set) var largest: Int64 = 0
    private var sum = 0.0

    public init() {}

    /// Below nothing counts as nothing: two clocks may differ by a little.
    public mutating func record(_ value: Int64) {
        let value = max(0, value)
        let index = Self.index(of: value)
        if index >= counts.count { counts += [UInt64](repeating: 0, count: index + 1 - counts.count) }
        counts[index] += 1
        count += 1
        sum += Double(value)
        largest = max(largest, value)
    }

    public mutating func merge(_ other: Histogram) {
        if other.counts.count > counts.count {
            counts += [UInt64](repeating: 0, count: other.counts.count - counts.count)
        }
        for (index, more) in other.counts.enumerated() { counts[index] += more }
        count += other.count
        sum += other.sum
        largest = max(largest, other.largest)
    }

    public var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// The value below or at which the share `fraction` of all lies, to the width of its bucket and never above the
    /// largest; nil if there is none.
    public func quantile(_ fraction: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, UInt64((fraction * Double(count)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, bucket) in counts.enumerated() {
            seen += bucket
            if seen >= rank { return min(largest, Self.highest(in: index)) }
        }
        return largest
    }

    static func index(of value: Int64) -> Int {
        let magnitude = 63 - value.leadingZeroBitCount
        guard magnitude >= bits else { return Int(value) }
        let shift = magnitude - bits
        return (shift + 1) * width + Int(value >> Int64(shift)) - width
    }

    static func highest(in index: Int) -> Int64 {
        guard index >= width else { return Int64(index) }
        let shift = index / width - 1
        return (Int64(index % width + width + 1) << Int64(shift)) - 1
    }
}
