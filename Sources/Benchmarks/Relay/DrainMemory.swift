import Messages

/// Whether a process that drains a backlog keeps growing: its memory in the last quarter of the rows beside that in the
/// second, when everything is warm.
struct DrainMemory {
    private var second: [Double] = []
    private var last: [Double] = []

    mutating func add(_ samples: [(done: Int, kibibytes: Int)], rows: Int) {
        second += samples.filter { $0.done * 4 >= rows && $0.done * 2 < rows }.map { Double($0.kibibytes) }
        last += samples.filter { $0.done * 4 >= rows * 3 }.map { Double($0.kibibytes) }
    }

    /// Median of the last quarter ÷ median of the second; not a number if a quarter was too short to be seen.
    var growth: Double { Statistics.median(last) / Statistics.median(second) }

    var facts: [Report.Fact] {
        [
            Report.Fact("memorySecondQuarterKiB", .decimal(Report.text(Statistics.median(second)))),
            Report.Fact("memoryLastQuarterKiB", .decimal(Report.text(Statistics.median(last)))),
            Report.Fact("memoryGrowth", .decimal(Report.text(growth))),
        ].filter { $0.value != .decimal("none") }
    }
}
