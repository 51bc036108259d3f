import Synchronization

/// Counters of one name that differ in some labels, found without writing the labels out each time: for what is counted
/// with every message.
public final class CounterFamily: Sendable {
    private let metrics: Metrics
    private let name: String
    private let help: String
    private let fixed: [String: String]
    private let varying: [String]
    private let known = Mutex<[[String]: Counter]>([:])

    /// `fixed` are labels with their values, `varying` the names of those that a subscript gives values to.
    public init(_ metrics: Metrics, _ name: String, help: String, fixed: [String: String], varying: [String]) {
        self.metrics = metrics
        self.name = name
        self.help = help
        self.fixed = fixed
        self.varying = varying
    }

    /// The counter whose varying labels have these values, in their order.
    public subscript(values: String...) -> Counter {
        precondition(values.count == varying.count, "\(name) varies in \(varying)")
        return known.withLock { known in
            if let counter = known[values] { return counter }
            let labels = fixed.merging(zip(varying, values)) { _, own in own }
            let counter = metrics.counter(name, help: help, labels: labels)
            known[values] = counter
            return counter
        }
    }
}
