import TestSupport

/// The table of `docs/architecture.md`.
struct LayerTable {
    struct Row {
        let layer: String
        let target: String
        let modules: Set<String>
        let toolchain: Set<String>
    }

    let rows: [Row]

    init() throws {
        rows = try Repository.text("docs/architecture.md").split(separator: "\n").flatMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard line.hasPrefix("| "), cells.count == 6, cells[1].contains(where: { $0.isNumber }) else {
                return [Row]()
            }
            return Self.names(cells[2]).sorted().map { target in
                Row(
                    layer: String(cells[1].split(separator: " ").dropFirst().joined(separator: " ")), target: target,
                    modules: Self.names(cells[3]), toolchain: Self.names(cells[4]))
            }
        }
    }

    func row(_ target: String) -> Row? { rows.first { $0.target == target } }

    func targets(_ layer: String) -> [String] { rows.filter { $0.layer == layer }.map(\.target) }

    private static func names(_ cell: String) -> Set<String> {
        Set(cell.split(separator: " ").filter { $0.hasPrefix("`") }.map { String($0.dropFirst().dropLast()) })
    }
}
