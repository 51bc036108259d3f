import Messages
public import Postgres

/// What a change would touch, from a look that locks nothing.
public struct ChangePreview: Equatable, Sendable {
    public struct Group: Equatable, Sendable {
        public let route: String
        public let reason: String
        public let rows: Int
        /// Commit of the oldest.
        public let oldest: Timestamp
        public let underLease: Int
    }

    public let kind: ChangeKind
    public let now: Timestamp
    public let groups: [Group]

    public var rows: Int { groups.map(\.rows).reduce(0, +) }
    public var underLease: Int { groups.map(\.underLease).reduce(0, +) }

    public func text(_ filter: DueFilter, style: Style) -> String {
        var lines: [String] = []
        if !groups.isEmpty {
            var table = TextTable(["hints", "rows", "oldest"])
            for group in groups {
                let why = kind == .release || group.reason.isEmpty ? "" : ": \(group.reason.printable)"
                table.add([
                    group.route + why, NumberText.grouped(group.rows), AgeText.format(now - group.oldest),
                ])
            }
            var printed = table.lines()
            lines += printed.removeFirst().map(style.heading)
            lines += printed.joined()
        }
        if kind == .expire, underLease > 0 {
            lines.append("\(NumberText.grouped(underLease)) of them under a lease that a relay took")
        }
        let limits = filter.words.isEmpty ? "" : " (\(filter.words))"
        lines += (kind.words(NumberText.counted(rows, "hint"), done: false) + limits).wrapped(
            to: style.width, indent: 4)
        return lines.joined(separator: "\n") + "\n"
    }

    func write(to object: inout JSONWriter) {
        object.member("rows", rows)
        object.key("groups")
        object.array { array in
            for group in groups {
                array.object {
                    $0.member("route", group.route)
                    $0.member("reason", group.reason)
                    $0.member("rows", group.rows)
                    $0.member("oldest", group.oldest.isoText)
                    $0.member("under_lease", group.underLease)
                }
            }
        }
    }
}
