import HTTP2

extension Action {
    private static let names = [
        "answer", "delayMilliseconds", "hang", "reset", "afterHeaders", "goAway", "streams", "refuse", "silence",
        "disconnect", "html", "drop", "deliver", "swallow", "twice", "split", "deprioritise", "expire",
        "revokeAccessTokens",
    ]

    init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(value, at: place, known: Self.names)
        if let value = fields["answer"] { answer = try Answer(value, at: "\(place).answer") }
        if let value = fields["delayMilliseconds"] { delay = try Delay(value, at: "\(place).delayMilliseconds") }
        hang = try fields.flag("hang")
        if let name = try fields.string("reset") { reset = try Self.code(name, at: "\(place).reset") }
        let refuses = try fields.flag("refuse")
        afterHeaders = try fields.flag("afterHeaders")
        if let value = fields["goAway"] { goAway = try Farewell(value, at: "\(place).goAway") }
        streams = try fields.integer("streams", in: 0...Int64(Int32.max)).map { UInt32($0) }
        silence = try fields.flag("silence")
        disconnect = try fields.flag("disconnect")
        html = try fields.integer("html", in: 200...599).map { Int($0) }
        drop = try fields.flag("drop")
        deliver = try fields.flag("deliver")
        swallow = try fields.flag("swallow")
        twice = try fields.flag("twice")
        split = try fields.flag("split")
        deprioritise = try fields.flag("deprioritise")
        expire = try fields.integer("expire", in: 0...Int64.max)
        revokeAccessTokens = try fields.flag("revokeAccessTokens")

        let ends = [
            ("hang", hang), ("reset", reset != nil), ("refuse", refuses), ("silence", silence),
            ("disconnect", disconnect),
        ].filter(\.1).map(\.0)
        if ends.count > 1 { throw ScriptError("\(place): \(ends[0]) and \(ends[1]) exclude each other") }
        if answer != nil, html != nil { throw ScriptError("\(place): answer and html exclude each other") }
        if swallow, twice { throw ScriptError("\(place): swallow and twice exclude each other") }
        if drop, deliver { throw ScriptError("\(place): drop and deliver exclude each other") }
        if afterHeaders, ends.isEmpty || refuses {
            throw ScriptError("\(place).afterHeaders goes with hang, reset, silence or disconnect")
        }
        if refuses { reset = .refusedStream }
    }

    static func code(_ name: String, at place: String) throws(ScriptError) -> ErrorCode {
        guard let code = ErrorCode(name: name) else {
            throw ScriptError("\(place): no HTTP/2 error code \(name); one of \(ErrorCode.allNames)")
        }
        return code
    }
}

extension Action.Answer {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        if let word = value.string {
            self.init(reason: word)
        } else {
            guard value.members != nil else { throw ScriptError("\(place) must be a reason or an object") }
            let fields = try Fields(
                value, at: place, known: ["status", "reason", "timestamp", "retryAfter", "body"])
            self.init(
                status: try fields.integer("status", in: 200...599).map { Int($0) },
                reason: try fields.string("reason"), timestamp: try fields.integer("timestamp"),
                retryAfter: try fields.string("retryAfter"), body: try fields.string("body"))
        }
        if status == nil && reason == nil { throw ScriptError("\(place) needs a reason or a status") }
    }

    /// Which provider says that.
    static func speaker(of reason: String) -> String? {
        if APNSReason(rawValue: reason) != nil { return "apns" }
        if FCMError(rawValue: reason) != nil { return "fcm" }
        return AccessTokens.errors.contains(reason) ? "oauth" : nil
    }
}

extension Action.Farewell {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(value, at: place, known: ["lastStream", "code", "reason"])
        switch fields["lastStream"] {
        case nil, .some(.string("this")): last = .this
        case .some(.string("before")): last = .before
        case .some(.string("newest")): last = .newest
        case .some(.string("all")): last = .all
        case .some(.integer(let stream)) where (0...Int64(Int32.max)).contains(stream): last = .stream(Int32(stream))
        default:
            throw ScriptError(
                "\(place).lastStream must be \"before\", \"this\", \"newest\", \"all\" or the number of a stream")
        }
        if let name = try fields.string("code") { code = try Action.code(name, at: "\(place).code") }
        reason = try fields.string("reason") ?? ""
    }
}
