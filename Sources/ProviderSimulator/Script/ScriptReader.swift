import HTTP2

extension Script {
    /// Reads `{"rules": […], "seed": …}`. Unknown names are errors: a misspelt rule would silently do nothing. `place` is
    /// what the bytes are, for the message.
    public init(parsing bytes: [UInt8], at place: String = "script") throws(ScriptError) {
        try self.init(try JSONValue(ours: bytes, at: place), at: place)
    }

    init(_ root: JSONValue, at place: String) throws(ScriptError) {
        let fields = try Fields(root, at: place, known: ["rules", "seed"])
        guard fields["rules"] != nil else { throw ScriptError("\(place).rules is missing: a list of rules") }
        var rules: [Rule] = []
        for (index, value) in try fields.array("rules").enumerated() {
            rules.append(try Rule(value, at: "\(place).rules[\(index)]"))
        }
        self.init(rules, seed: try fields.integer("seed", in: 0...Int64.max).map { UInt64($0) })
    }

    /// From a file with the same content.
    public init(file path: String) throws(ScriptError) {
        guard let text = TextFile.read(path) else { throw ScriptError("\(path) cannot be read") }
        try self.init(parsing: Array(text.utf8), at: path)
    }
}

extension Rule {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(value, at: place, known: ["name", "match", "times", "after", "probability", "do"])
        name = try fields.string("name")
        if let value = fields["match"] { match = try Match(value, at: "\(place).match") }
        times = try fields.integer("times", in: 1...Int64.max).map { Int($0) }
        after = try fields.integer("after", in: 0...Int64.max).map { Int($0) } ?? 0
        probability = try fields.number("probability", in: 0...1) ?? 1
        guard let value = fields["do"] else { throw ScriptError("\(place).do is missing: an object of what to do") }
        action = try Action(value, at: "\(place).do")
        if let answer = action.answer, answer.status == nil, let reason = answer.reason {
            try bind(reason, at: place)
        }
    }

    /// A word belongs to one provider: the rule is for that one.
    private mutating func bind(_ reason: String, at place: String) throws(ScriptError) {
        guard let speaker = Action.Answer.speaker(of: reason) else {
            throw ScriptError("\(place).do.answer: no provider says \(reason); give a status with it")
        }
        guard match.provider == nil || match.provider == speaker else {
            throw ScriptError("\(place).do.answer: \(reason) is a word of \(speaker), not of \(match.provider ?? "")")
        }
        match.provider = speaker
    }
}

extension Rule.Match {
    fileprivate init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        let fields = try Fields(
            value, at: place, known: ["provider", "environment", "token", "tokens", "tokenPrefix", "job", "contains"])
        provider = try fields.word("provider", of: ["apns", "fcm", "oauth"])
        environment = try Environment.read(fields)
        if environment != nil {
            guard provider == nil || provider == "apns" else {
                throw ScriptError("\(place).environment: only apns has environments")
            }
            provider = "apns"
        }
        tokens = Set(try fields.strings("tokens") ?? [])
        if let token = try fields.string("token") { tokens.insert(token) }
        if fields["tokens"] != nil, tokens.isEmpty { throw ScriptError("\(place).tokens must name at least one token") }
        // APNs tokens are compared in lower case.
        tokens = Set(tokens.map(DeviceTable.key))
        tokenPrefix = try fields.string("tokenPrefix")
        contains = try fields.string("job")
        if contains == nil { contains = try fields.string("contains") }
    }
}

/// `production` or `sandbox`; Apple also calls the latter `development`.
enum Environment {
    static func read(_ fields: Fields) throws(ScriptError) -> String? {
        let word = try fields.word("environment", of: ["production", "sandbox", "development"])
        return word == "development" ? "sandbox" : word
    }
}
