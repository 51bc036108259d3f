import HTTP2

extension Script {
    /// Reads `{"rules": […]}`. Unknown names are errors: a misspelt rule would silently do nothing.
    public init(parsing bytes: [UInt8]) throws(ScriptError) {
        guard let root = JSONValue(parsing: bytes) else { throw ScriptError("script: not valid JSON") }
        let fields = try Fields(root, at: "script", known: ["rules"])
        var rules: [Rule] = []
        for (index, value) in try fields.array("rules").enumerated() {
            rules.append(try Rule(value, at: "rules[\(index)]"))
        }
        self.init(rules)
    }

    /// From a file with the same content.
    public init(file path: String) throws(ScriptError) {
        guard let text = TextFile.read(path) else { throw ScriptError("\(path) cannot be read") }
        try self.init(parsing: Array(text.utf8))
    }
}

extension Rule {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(value, at: place, known: ["name", "match", "times", "after", "probability", "do"])
        if let value = fields["match"] { match = try Match(value, at: "\(place).match") }
        times = try fields.integer("times").map { Int($0) }
        after = try fields.integer("after").map { Int($0) } ?? 0
        probability = try fields.number("probability") ?? 1
        guard let value = fields["do"] else { throw ScriptError("\(place).do is missing") }
        action = try Action(value, at: "\(place).do")
    }
}

extension Rule.Match {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(
            value, at: place, known: ["provider", "environment", "token", "tokens", "tokenPrefix", "job", "contains"])
        provider = try fields.string("provider")
        if let provider, !["apns", "fcm", "oauth"].contains(provider) {
            throw ScriptError("\(place).provider must be apns, fcm or oauth")
        }
        environment = try fields.string("environment")
        if let token = try fields.string("token") { tokens = [token] }
        for token in try fields.array("tokens") {
            guard let text = token.string else { throw ScriptError("\(place).tokens must be strings") }
            tokens.append(text)
        }
        tokenPrefix = try fields.string("tokenPrefix")
        contains = try fields.string("job")
        if contains == nil { contains = try fields.string("contains") }
    }
}

extension Action {
    private static let names = [
        "answer", "delayMilliseconds", "hang", "reset", "afterHeaders", "goAway", "streams", "refuse", "silence",
        "disconnect", "html", "drop", "deliver", "expire", "revokeAccessTokens",
    ]

    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(value, at: place, known: Self.names)
        if let value = fields["answer"] { answer = try Answer(value, at: "\(place).answer") }
        delayMilliseconds = try Self.delay(fields["delayMilliseconds"], at: place)
        hang = try fields.flag("hang")
        if let name = try fields.string("reset") { reset = try Self.code(name, at: "\(place).reset") }
        if try fields.flag("refuse") { reset = .refusedStream }
        afterHeaders = try fields.flag("afterHeaders")
        if let value = fields["goAway"] { goAway = try Farewell(value, at: "\(place).goAway") }
        streams = try fields.integer("streams").map { UInt32(clamping: $0) }
        silence = try fields.flag("silence")
        disconnect = try fields.flag("disconnect")
        html = try fields.integer("html").map { Int($0) }
        drop = try fields.flag("drop")
        deliver = try fields.flag("deliver")
        expire = try fields.integer("expire")
        revokeAccessTokens = try fields.flag("revokeAccessTokens")
    }

    private static func delay(_ value: JSONValue?, at place: String) throws(ScriptError) -> ClosedRange<Int64>? {
        guard let value else { return nil }
        if let fixed = value.integer, fixed >= 0 { return fixed...fixed }
        if let bounds = value.array, bounds.count == 2, let low = bounds[0].integer, let high = bounds[1].integer,
            0 <= low, low <= high
        {
            return low...high
        }
        throw ScriptError("\(place).delayMilliseconds must be a number or [least, most]")
    }

    fileprivate static func code(_ name: String, at place: String) throws(ScriptError) -> ErrorCode {
        guard let code = ErrorCode(name: name) else { throw ScriptError("\(place): no HTTP/2 error code \(name)") }
        return code
    }
}

extension Action.Answer {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        if let word = value.string {
            self.init(reason: word)
        } else {
            let fields = try Fields(
                value, at: place, known: ["status", "reason", "timestamp", "retryAfter", "body"])
            self.init(
                status: try fields.integer("status").map { Int($0) }, reason: try fields.string("reason"),
                timestamp: try fields.integer("timestamp"), retryAfter: try fields.string("retryAfter"),
                body: try fields.string("body"))
        }
        if status == nil, let reason, !Self.isKnown(reason) {
            throw ScriptError("\(place): no provider says \(reason); give a status with it")
        }
        if status == nil && reason == nil { throw ScriptError("\(place) needs a reason or a status") }
    }

    private static func isKnown(_ reason: String) -> Bool {
        APNSReason(rawValue: reason) != nil || FCMError(rawValue: reason) != nil
            || [
                "invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "unsupported_grant_type",
            ].contains(reason)
    }
}

extension Action.Farewell {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(value, at: place, known: ["lastStream", "code", "reason"])
        switch fields["lastStream"] {
        case nil, .some(.string("this")): last = .this
        case .some(.string("before")): last = .before
        case .some(.string("all")): last = .all
        case .some(.integer(let stream)): last = .stream(Int32(clamping: stream))
        default: throw ScriptError("\(place).lastStream must be before, this, all or a number")
        }
        if let name = try fields.string("code") { code = try Action.code(name, at: "\(place).code") }
        reason = try fields.string("reason") ?? ""
    }
}
