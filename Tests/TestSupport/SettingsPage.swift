public import Daemon

/// The tables of `docs/configuration.md`.
public struct SettingsPage {
    private struct Entry {
        /// Whole, or what follows `…`.
        let name: String
        let isShort: Bool
        let value: String
    }

    private let entries: [Entry]

    public init() throws {
        entries = try Repository.text("docs/configuration.md").split(separator: "\n").flatMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard line.hasPrefix("| `"), cells.count >= 5 else { return [Entry]() }
            let names = Self.words(cells[1])
            let values = Self.words(cells[2])
            return names.enumerated().map { index, name in
                Entry(
                    name: name.hasPrefix("…") ? String(name.dropFirst()) : name, isShort: name.hasPrefix("…"),
                    value: values.count == names.count ? values[index] : values.first ?? "")
            }
        }
    }

    /// One line for each setting that the page lacks, or gives another default than the program has.
    public func faults(of settings: [Setting]) -> [String] {
        settings.compactMap { setting in
            let found = entries.filter { $0.isShort ? setting.name.hasSuffix($0.name) : setting.name == $0.name }
            guard !found.isEmpty else { return "\(setting.name) is missing in docs/configuration.md" }
            // Words such as "the system's" are no value to compare.
            let values = found.map(\.value).filter { DurationText.parse($0) != nil || Int($0) != nil }
            guard let value = setting.value, setting.isDefault, !values.isEmpty else { return nil }
            let isSame = values.contains {
                $0 == value || DurationText.parse($0).map { $0 == DurationText.parse(value) } == true
            }
            return isSame
                ? nil : "\(setting.name) is \(value), docs/configuration.md says \(values.joined(separator: " or "))"
        }
    }

    private static func words(_ cell: String) -> [String] {
        cell.split(separator: ",").map { part in
            String(part.filter { $0 != "`" && $0 != " " })
        }
    }
}
