import HTTP2

/// Body of `POST /connections`: one thing to do to all connections of one service.
struct ConnectionOrder: Equatable {
    enum Deed: Equatable {
        case goAway(ErrorCode, debug: String)
        case silence
        case disconnect
        case streams(UInt32)
    }

    var service: ProviderService
    var deed: Deed

    init(_ value: JSONValue, at place: String) throws(ScriptError) {
        let fields = try Fields(
            value, at: place, known: ["provider", "environment", "do", "streams", "reason", "code"])
        switch try fields.word("provider", of: ["apns", "fcm", "oauth"]) {
        case "apns": service = .apns(environment: try Environment.read(fields) ?? "production")
        case "fcm": service = .fcm
        case "oauth": service = .oauth
        default: throw ScriptError("\(place).provider is missing: apns, fcm or oauth")
        }
        switch try fields.word("do", of: ["goAway", "silence", "disconnect", "streams"]) {
        case "goAway":
            let reason = try fields.string("reason") ?? ""
            let code = try Action.code(try fields.string("code") ?? "NO_ERROR", at: "\(place).code")
            let isPlain = service.provider != "apns" || reason.isEmpty
            deed = .goAway(code, debug: isPlain ? reason : APNSReason.body(of: reason))
        case "silence": deed = .silence
        case "disconnect": deed = .disconnect
        case "streams":
            guard let count = try fields.integer("streams", in: 0...Int64(Int32.max)) else {
                throw ScriptError("\(place).streams is missing: how many")
            }
            deed = .streams(UInt32(count))
        default: throw ScriptError("\(place).do is missing: goAway, silence, disconnect or streams")
        }
    }
}
