import FoundationEssentials

extension ProcessIdentity {
    /// The process and all that come from it, as they are now.
    public var family: [ProcessIdentity] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var children: [Int32: [ProcessIdentity]] = [:]
        for process in entries.lazy.compactMap({ Int32($0) }).compactMap({ ProcessIdentity(of: $0) }) {
            // Field 4.
            guard let parent = Self.fields(of: process.id).flatMap({ Int32($0[1]) }) else { continue }
            children[parent, default: []].append(process)
        }
        var family = [self]
        var next = 0
        while next < family.count {
            family += children[family[next].id] ?? []
            next += 1
        }
        return family
    }
}
