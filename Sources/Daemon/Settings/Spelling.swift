/// Finds what a misspelt name was meant to be.
enum Spelling {
    /// The one closest name within two slips; nil when there is none.
    static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        let found = names.map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
            .filter { $0.distance <= 2 }
        return found.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Insertions, deletions and replacements between two texts.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
