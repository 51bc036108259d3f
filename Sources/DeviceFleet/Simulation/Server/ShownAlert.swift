public import Delivery
import Messages

/// What an owner sees of a hint, as far as it is text.
public struct ShownAlert: Equatable, Sendable {
    public var texts: [String]

    /// Everything below `aps`, keys and values.
    public init(payload: [UInt8]) {
        texts = []
        guard let value = try? JSONValue(parsing: payload), let aps = value["aps"] else { return }
        collect(aps)
    }

    /// A notification that the app posts itself.
    public init(_ texts: [String]) { self.texts = texts }

    private mutating func collect(_ value: JSONValue) {
        if let text = value.string { texts.append(text) }
        if let object = value.object { for name in object.keys.sorted() { collect(object[name]!) } }
        if let list = value.array { for item in list { collect(item) } }
    }

    /// Whether any text names the job, in any spelling.
    public func names(_ job: Identifier) -> Bool {
        let id = job.description
        let short = id.filter { $0 != "-" }
        return texts.contains { text in
            let lower = text.lowercased()
            return lower.contains(id) || lower.contains(short)
        }
    }
}
