extension Device {
    /// What a caller says about a phone; what it leaves out stays as `before` has it.
    init(_ value: JSONValue, token: String, before: Device?, at place: String) throws(ScriptError) {
        let fields = try Fields(value, at: place, known: ["token", "provider", "app", "environment", "online"])
        guard let provider = try fields.string("provider") ?? before?.provider, ["apns", "fcm"].contains(provider)
        else {
            throw ScriptError("\(place).provider must be apns or fcm")
        }
        guard let app = try fields.string("app") ?? before?.app, !app.isEmpty else {
            throw ScriptError("\(place).app is missing: the bundle id (apns) or the project id (fcm)")
        }
        var environment = try fields.string("environment") ?? before?.environment ?? ""
        if provider == "apns" {
            if environment.isEmpty { environment = "production" }
            guard ["production", "sandbox"].contains(environment) else {
                throw ScriptError("\(place).environment must be production or sandbox")
            }
        } else {
            environment = ""
        }
        let isOnline = fields["online"] == nil ? before?.isOnline ?? true : try fields.flag("online")
        self.init(token: token, provider: provider, app: app, environment: environment, isOnline: isOnline)
        // Only a full registration brings a removed app back.
        if fields["provider"] == nil, let before { state = before.state }
    }
}
