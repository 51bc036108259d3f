/// Finds the highest rate that meets an objective: doubles until one does not, then halves the distance until it is small
/// enough. Pure: somebody else measures.
public struct MaximumSearch: Equatable, Sendable {
    private(set) var met: Double?
    private(set) var missed: Double?
    private let first: Double
    /// Of the result: how far the next higher rate that failed may be.
    private let precision: Double

    public init(first: Double, precision: Double = 0.1) {
        self.first = first
        self.precision = precision
    }

    /// The rate to try; nil when it is found.
    public var next: Double? {
        switch (met, missed) {
        case (nil, nil): first
        case (let met?, nil): met * 2
        // Nothing that small is worth finding.
        case (nil, let missed?): missed <= 1 ? nil : missed / 2
        case (let met?, let missed?): missed - met <= met * precision ? nil : (met + missed) / 2
        }
    }

    public mutating func record(_ rate: Double, isMet: Bool) {
        if isMet { met = max(met ?? 0, rate) } else { missed = min(missed ?? .infinity, rate) }
    }

    /// The highest rate that met the objective.
    public var found: Double? { met }
}
