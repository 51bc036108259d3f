extension Device {
    /// What a caller says about a phone; what it leaves out stays as `before` has it.
    init(_ value: JSONValue, token: String, before: Device?, at place: String) throws(ScriptError) {
        let fields = try Fields(
            value, at: place,
            known: ["token", "provider", "app", "environment", "platform", "topics", "online", "awake"])
        guard !token.isEmpty, token.utf8.count <= 4096 else {
            throw ScriptError("\(place).token must have 1 to 4096 characters")
        }
        guard let provider = try fields.word("provider", of: ["apns", "fcm"]) ?? before?.provider else {
            throw ScriptError("\(place).provider is missing: apns or fcm")
        }
        guard let app = try fields.string("app") ?? before?.app, !app.isEmpty else {
            throw ScriptError("\(place).app is missing: the bundle id (apns) or the project id (fcm)")
        }
        self.init(token: token, provider: provider, app: app)
        if provider == "apns" {
            guard APNSCheck.isToken(token) else {
                throw ScriptError("\(place).token of apns must be 32 to 200 hexadecimal digits")
            }
            environment = try Environment.read(fields) ?? before?.environment ?? "production"
        } else {
            platform = try fields.word("platform", of: ["android", "ios", "web"]) ?? before?.platform ?? "android"
            topics = try fields.strings("topics") ?? before?.topics ?? []
        }
        isOnline = try fields.optionalFlag("online") ?? before?.isOnline ?? true
        isAwake = try fields.optionalFlag("awake") ?? before?.isAwake ?? true
        // Only a full registration brings a removed app back.
        if fields["provider"] == nil, let before { state = before.state }
    }
}
