/// A plot over the time of a test.
struct Chart {
    struct Series {
        let name: String
        /// Which of the page's colours.
        let colour: Int
        var isDashed = false
        var points: [(x: Double, y: Double)]
    }

    let title: String
    let unit: String
    var series: [Series]
    /// Seconds.
    let width: Double
    /// Equal distances stand for equal ratios.
    var isLogarithmic = false
    /// Instants with a name: faults.
    var marks: [(x: Double, name: String)] = []

    /// More than the eye can tell apart are averaged.
    static func thinned(_ points: [(x: Double, y: Double)], to most: Int = 180) -> [(x: Double, y: Double)] {
        guard points.count > most else { return points }
        let size = (points.count + most - 1) / most
        return stride(from: 0, to: points.count, by: size).map { start in
            let group = points[start..<min(points.count, start + size)]
            return (
                group.reduce(0) { $0 + $1.x } / Double(group.count), group.reduce(0) { $0 + $1.y } / Double(group.count)
            )
        }
    }

    static let colours = 10
}
