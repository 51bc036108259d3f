/// One message that reached a phone.
struct Delivered: Sendable {
    /// Epoch milliseconds by the simulator's clock.
    var at: Int64
    var outgoing: Outgoing
}

extension Delivered: FeedElement {
    func json(number: Int) -> JSONValue {
        let message = outgoing.message
        var members: [JSONValue.Member] = [
            .init("number", .integer(Int64(number))), .init("at", .integer(at)),
            .init("provider", .string(outgoing.provider)), .init("environment", .string(outgoing.environment)),
            .init("app", .string(outgoing.app)), .init("token", .string(outgoing.token)),
            .init("kind", .string(outgoing.kind.rawValue)), .init("id", message.map { .string($0.id) } ?? .null),
            .init("priority", message.map { .string($0.priority) } ?? .null),
        ]
        if let original = message?.originalPriority { members.append(.init("originalPriority", .string(original))) }
        members.append(.init("payload", message.flatMap { JSONValue(parsing: $0.payload) } ?? .null))
        return .object(members)
    }
}
