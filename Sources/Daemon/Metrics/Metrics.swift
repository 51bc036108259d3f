import Synchronization

/// The numbers of one process, as Prometheus text. Asking again for the same name and labels gives the same object.
public final class Metrics: Sendable {
    enum Instrument: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
        case computed(@Sendable () -> Double)

        var type: String {
            switch self {
            case .counter: "counter"
            case .gauge, .computed: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    struct Family: Sendable {
        var help: String
        var type: String
        /// Keyed by the labels as they are printed.
        var series: [String: Instrument] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    public init() {}

    /// Named after what it counts, ending in `_total`.
    public func counter(_ name: String, help: String, labels: [String: String] = [:]) -> Counter {
        let found = register(name, help, labels) { .counter(Counter()) }
        guard case .counter(let counter) = found else { return Counter() }
        return counter
    }

    public func gauge(_ name: String, help: String, labels: [String: String] = [:]) -> Gauge {
        guard case .gauge(let gauge) = register(name, help, labels, { .gauge(Gauge()) }) else { return Gauge() }
        return gauge
    }

    /// A gauge that is computed when somebody asks.
    public func gauge(
        _ name: String, help: String, labels: [String: String] = [:], value: @escaping @Sendable () -> Double
    ) {
        _ = register(name, help, labels) { .computed(value) }
    }

    public func histogram(
        _ name: String, help: String, labels: [String: String] = [:], bounds: [Double] = Histogram.seconds
    ) -> Histogram {
        let found = register(name, help, labels) { .histogram(Histogram(bounds: bounds)) }
        guard case .histogram(let histogram) = found else { return Histogram(bounds: bounds) }
        return histogram
    }

    /// The text that a scraper reads, in the order of the names.
    public func exposition() -> String {
        let snapshot = families.withLock { $0 }
        return snapshot.sorted { $0.key < $1.key }.map { Exposition.text(name: $0.key, $0.value) }.joined()
    }

    private func register(
        _ name: String, _ help: String, _ labels: [String: String], _ make: () -> Instrument
    ) -> Instrument {
        let key = Exposition.labels(labels)
        return families.withLock { families in
            if let found = families[name]?.series[key] {
                assert(found.type == make().type, "one name, two kinds of metric: \(name)")
                return found
            }
            let made = make()
            families[name, default: Family(help: help, type: made.type)].series[key] = made
            return made
        }
    }
}
