/// A property list, read from its XML or its binary form.
public indirect enum PropertyList: Equatable, Sendable {
    case text(String)
    case number(Int64)
    case real(Double)
    case flag(Bool)
    /// Seconds since 1970.
    case date(Int64)
    case bytes([UInt8])
    case list([PropertyList])
    case members([String: PropertyList])
    /// What no app's list has: references between nodes, null.
    case other

    public subscript(_ name: String) -> PropertyList? { if case .members(let all) = self { all[name] } else { nil } }

    public var text: String? { if case .text(let text) = self { text } else { nil } }
    public var date: Int64? { if case .date(let seconds) = self { seconds } else { nil } }
    public var list: [PropertyList]? { if case .list(let list) = self { list } else { nil } }
    public var members: [String: PropertyList]? { if case .members(let all) = self { all } else { nil } }

    /// The texts of a list, without what else is in it.
    public var texts: [String] { (list ?? []).compactMap(\.text) }
}
