/// Prometheus text format 0.0.4.
enum Exposition {
    static func text(name: String, _ family: Metrics.Family) -> String {
        var text = "# HELP \(name) \(escaped(family.help, quotes: false))\n# TYPE \(name) \(family.type)\n"
        for (labels, instrument) in family.series.sorted(by: { $0.key < $1.key }) {
            switch instrument {
            case .counter(let counter): text += "\(name)\(braced(labels)) \(counter.value)\n"
            case .gauge(let gauge): text += "\(name)\(braced(labels)) \(number(gauge.value))\n"
            case .computed(let value): text += "\(name)\(braced(labels)) \(number(value()))\n"
            case .histogram(let histogram): text += lines(name, labels, histogram)
            }
        }
        return text
    }

    /// `a="1",b="2"`, sorted, without braces.
    static func labels(_ labels: [String: String]) -> String {
        labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }
            .joined(separator: ",")
    }

    private static func lines(_ name: String, _ labels: String, _ histogram: Histogram) -> String {
        let counts = histogram.counts
        let bounds = histogram.bounds.map(number) + ["+Inf"]
        var text = ""
        for (bound, count) in zip(bounds, counts) {
            let all = labels.isEmpty ? "le=\"\(bound)\"" : "\(labels),le=\"\(bound)\""
            text += "\(name)_bucket{\(all)} \(count)\n"
        }
        text += "\(name)_sum\(braced(labels)) \(number(histogram.sum))\n"
        return text + "\(name)_count\(braced(labels)) \(counts.last ?? 0)\n"
    }

    private static func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.append(character)
            }
        }
    }
}
