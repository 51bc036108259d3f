/// What a feed can hold: something that is one line of JSON.
protocol FeedElement: Sendable {
    func json(number: Int) -> JSONValue
}

extension Feed where Element: FeedElement {
    /// Entries as lines. Where some are gone that the reader never saw, a line says how many.
    static func lines(_ entries: [Entry], after number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        if let first = entries.first, first.number > number + 1 {
            bytes += JSONValue.object([.init("lost", .integer(Int64(first.number - number - 1)))]).bytes
            bytes.append(0x0A)
        }
        for entry in entries {
            bytes += entry.element.json(number: entry.number).bytes
            bytes.append(0x0A)
        }
        return bytes
    }

    /// Appends everything that comes to a file, in batches, until the feed is closed. False: writing failed.
    func write(to file: LineFile) async -> Bool {
        var last = 0
        while true {
            let isClosed = isClosed
            let entries = await after(last, waiting: .seconds(3600), limit: 1000)
            if let newest = entries.last {
                guard file.append(Self.lines(entries, after: last)) else { return false }
                last = newest.number
            } else if isClosed {
                return true
            }
        }
    }
}
