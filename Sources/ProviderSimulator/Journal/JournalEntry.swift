import HTTP2

/// One request, byte for byte, and what was decided about it.
public struct JournalEntry: Hashable, Sendable {
    /// Epoch milliseconds by the simulator's clock.
    public var at: Int64
    public var request: ProviderRequest
    public var status: Int
    /// The refusal's word; nil if accepted.
    public var reason: String?
    /// What the script did.
    public var action: String?
    /// Microseconds beyond `at`.
    var fraction: Int64 = 0
    /// Milliseconds until the answer.
    var delay: Int64 = 0
    /// Broken off before anything was accepted, whatever `status` would have been.
    var isCut = false
}

extension JournalEntry: FeedElement {
    func json(number: Int) -> JSONValue {
        let fields = request.fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        return [
            "number": .integer(Int64(number)), "at": .integer(at), "provider": .string(request.service.provider),
            "environment": .string(request.service.environment), "version": .string(request.version.rawValue),
            "connection": .integer(Int64(request.received.connection)),
            "stream": .integer(Int64(request.received.stream)),
            "method": .string(request.method), "path": .string(request.path), "fields": .array(fields),
            "body": String(validating: request.body, as: UTF8.self).map { .string($0) } ?? .null,
            "bodyBase64": .string(Base64.encoded(request.body)), "status": .integer(Int64(status)),
            "reason": reason.map { .string($0) } ?? .null, "action": action.map { .string($0) } ?? .null,
        ]
    }
}
