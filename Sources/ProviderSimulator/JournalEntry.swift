import HTTP2

/// One request, byte for byte, and what was decided about it.
public struct JournalEntry: Hashable, Sendable {
    /// Epoch milliseconds.
    public var at: Int64
    public var request: ProviderRequest
    public var status: Int
    /// The refusal's word; nil if accepted.
    public var reason: String?
    /// What the script did.
    public var action: String?

    func json(number: Int) -> JSONValue {
        let fields = request.fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        return [
            "number": .integer(Int64(number)), "at": .integer(at), "provider": .string(request.service.provider),
            "environment": .string(request.service.environment), "version": .string(request.version),
            "connection": .integer(Int64(request.connection)), "stream": .integer(Int64(request.stream)),
            "method": .string(request.method), "path": .string(request.path), "fields": .array(fields),
            "body": String(validating: request.body, as: UTF8.self).map { .string($0) } ?? .null,
            "bodyBase64": .string(Base64.encoded(request.body)), "status": .integer(Int64(status)),
            "reason": reason.map { .string($0) } ?? .null, "action": action.map { .string($0) } ?? .null,
        ]
    }
}

/// One message that reached a phone.
struct Delivered: Sendable {
    var at: Int64
    var outgoing: DeviceTable.Outgoing

    func json(number: Int) -> JSONValue {
        let message = outgoing.message
        return [
            "number": .integer(Int64(number)), "at": .integer(at), "provider": .string(outgoing.device.provider),
            "environment": .string(outgoing.device.environment), "app": .string(outgoing.device.app),
            "token": .string(outgoing.device.token), "kind": .string(outgoing.kind.rawValue),
            "id": message.map { .string($0.id) } ?? .null,
            "priority": message.map { .string($0.priority) } ?? .null,
            "payload": message.flatMap { JSONValue(parsing: $0.payload) } ?? .null,
        ]
    }
}

/// Standard base64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let group = (0..<3).map { index + $0 < bytes.count ? Int(bytes[index + $0]) : 0 }
            let value = group[0] << 16 | group[1] << 8 | group[2]
            let left = bytes.count - index
            for place in 0..<4 {
                text.append(place <= left ? alphabet[value >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}
