extension StageLatencies {
    /// Of the jobs that were to arrive in that time (microseconds from the start).
    init(_ table: HintTable, arrivingIn time: Range<Int64>) {
        for (index, arrival) in table.arrivals.enumerated() where time.contains(arrival.at) {
            record(.commit, from: arrival.at, to: table.committed[index])
            record(.complete, from: arrival.at, to: table.completed[index])
            for place in table.places(of: index) {
                let hint = table.hints[place]
                record(.publish, from: arrival.at, to: hint.published)
                record(.send, from: arrival.at, to: hint.sent)
                record(.accept, from: arrival.at, to: hint.accepted)
                record(.record, from: arrival.at, to: hint.recorded)
                record(.fetch, from: arrival.at, to: hint.fetched)
                record(.persist, from: arrival.at, to: hint.persisted)
                record(.ack, from: arrival.at, to: hint.acknowledged)
            }
        }
    }

    private mutating func record(_ stage: Stage, from start: Int64, to end: Int64) {
        if end != 0 { record(stage, end - start) }
    }

    /// Of each of so many equal parts of the time.
    static func parts(_ count: Int, of table: HintTable, seconds: Double) -> [StageLatencies] {
        let part = Int64(seconds * 1e6) / Int64(count) + 1
        return (0..<Int64(count)).map { StageLatencies(table, arrivingIn: $0 * part..<($0 + 1) * part) }
    }
}
