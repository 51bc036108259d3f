/// Rows in aligned columns: the first to the left, all others to the right.
package struct TextTable {
    package let headings: [String]
    package let width: Int
    package private(set) var rows: [[String]] = []

    package init(_ headings: [String], width: Int = 80) {
        self.headings = headings
        self.width = width
    }

    package mutating func add(_ row: [String]) {
        precondition(row.count == headings.count, "one cell a column")
        rows.append(row)
    }

    /// The heading's lines first, then those of each row. A name for which there is no room beside its figures has a line
    /// of its own before them.
    package func lines() -> [[String]] {
        let all = [headings] + rows
        let figureWidths = headings.indices.dropFirst().map { column in all.map { $0[column].count }.max() ?? 0 }
        let room = width - figureWidths.reduce(0) { $0 + $1 + 2 }
        let nameWidth = all.map { $0[0].count }.filter { $0 <= room }.max() ?? 0
        return all.map { row in
            let figures = zip(row.dropFirst(), figureWidths).map { text, width in
                String(repeating: " ", count: width - text.count) + text
            }
            guard row[0].count <= nameWidth else {
                return [row[0], ([String(repeating: " ", count: nameWidth)] + figures).joined(separator: "  ")]
            }
            let name = row[0] + String(repeating: " ", count: nameWidth - row[0].count)
            return [([name] + figures).joined(separator: "  ")]
        }
    }
}
