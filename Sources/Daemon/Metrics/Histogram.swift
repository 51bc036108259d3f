import Synchronization

/// How often a value (mostly seconds) was at most each bound.
public final class Histogram: Sendable {
    /// From a quarter of a millisecond to half a minute.
    public static let seconds: [Double] = [
        0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    /// A buffer of atomics cannot be an array: each cell is its own object.
    private final class Cell: Sendable { let count = Atomic<UInt64>(0) }

    let bounds: [Double]
    private let cells: [Cell]
    private let total = Gauge()

    init(bounds: [Double]) {
        self.bounds = bounds.sorted()
        cells = (0...bounds.count).map { _ in Cell() }
    }

    public func observe(_ value: Double, times: Int = 1) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        cells[index].count.add(UInt64(times), ordering: .relaxed)
        total.add(value * Double(times))
    }

    /// `times`: so many had the same duration.
    public func observe(_ duration: Duration, times: Int = 1) {
        let (seconds, attoseconds) = duration.components
        observe(Double(seconds) + Double(attoseconds) * 1e-18, times: times)
    }

    public var sum: Double { total.value }
    public var count: UInt64 { counts.last ?? 0 }

    /// One a bound and one for everything, each including those before.
    var counts: [UInt64] {
        var sum: UInt64 = 0
        return cells.map { cell in
            sum += cell.count.load(ordering: .relaxed)
            return sum
        }
    }
}
