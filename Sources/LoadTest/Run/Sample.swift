/// One look at a running test, about every second.
public struct Sample: Sendable {
    /// Seconds from the start.
    public var at = 0.0
    /// Hints, since the start.
    public var intended = 0
    public var committed = 0
    public var published = 0
    public var sent = 0
    public var accepted = 0
    public var requests = 0
    public var refused = 0
    /// Rows of `due`, and those of them that are not due yet.
    public var due = 0
    public var deferred = 0
    public var leased = 0
    /// Messages that wait, by queue.
    public var queues: [String: Int] = [:]
    /// Microseconds from intended arrival to acceptance, of hints accepted since the last look and of all.
    var recent = Histogram()
    var all = Histogram()
    /// Share of one processor since the last look, and resident KiB, by process.
    public var processors: [String: Double] = [:]
    public var memory: [String: Int] = [:]
    /// What was struck since the last look.
    public var strikes: [String] = []

    var ended: Int { max(0, committed - due) }

    /// Hints that wait, by the stage that they wait for.
    var backlog: [(stage: String, hints: Int)] {
        [
            ("commit", max(0, intended - committed)), ("relay", max(0, due - leased - deferred)),
            ("retry", deferred), ("broker, sender, recorder", leased),
        ]
    }
}
