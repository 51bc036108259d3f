import HTTP2

/// The checks of one FCM send request that need nothing but the request itself.
struct FCMCheck {
    enum Recipient: Equatable {
        /// A registration token or an installation id.
        case token(String)
        case topic(String)
        /// Checked, but not worked out: reaches nobody.
        case condition(String)
    }

    struct Content: Equatable {
        var recipient: Recipient
        /// JSON text of `data`: what the app's service gets.
        var data: [UInt8]
        /// `HIGH` or `NORMAL`.
        var priority: String
        /// Milliseconds; 0 = now or never.
        var timeToLive: Int64
        var collapseKey: String?
        var isDryRun: Bool
        /// A message with a `notification` goes to the system tray, not to the app.
        var hasNotification: Bool

        var token: String? { if case .token(let token) = recipient { token } else { nil } }
    }

    enum Result: Equatable {
        case content(Content)
        case refused(ProviderAnswer)
    }

    static let longestTimeToLive: Int64 = 2_419_200_000
    private static let topKeys: Set<String> = ["message", "validate_only", "validateOnly"]
    private static let messageKeys: Set<String> = [
        "token", "fid", "topic", "condition", "data", "notification", "android", "apns", "webpush", "fcm_options",
        "fcmOptions", "name",
    ]
    private static let androidKeys: Set<String> = [
        "collapse_key", "collapseKey", "priority", "ttl", "restricted_package_name", "restrictedPackageName", "data",
        "notification", "fcm_options", "fcmOptions", "direct_boot_ok", "directBootOk", "bandwidth_constrained_ok",
        "bandwidthConstrainedOk", "restricted_satellite_ok", "restrictedSatelliteOk",
    ]

    /// The project id of `/v1/projects/{id}/messages:send`.
    static func project(_ path: String) -> String? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "v1", parts[2] == "projects", !parts[3].isEmpty,
            parts[4] == "messages:send"
        else { return nil }
        return String(parts[3])
    }

    static func content(_ body: [UInt8]) -> Result {
        guard let root = JSONValue(parsing: body), let top = root.members else {
            return .refused(badRequest("Invalid JSON payload received. Unexpected token.", field: ""))
        }
        if let answer = unknown(top, known: topKeys, at: "") { return .refused(answer) }
        guard let message = root["message"], let members = message.members else {
            return .refused(badRequest("Invalid value at 'message' (type.googleapis.com/Message)", field: "message"))
        }
        if let answer = unknown(members, known: messageKeys, at: "message") { return .refused(answer) }
        let targets = ["token", "fid", "topic", "condition"].compactMap { message[$0] }
        guard targets.count == 1, let text = targets[0].string, !text.isEmpty else {
            return .refused(
                FCMError.invalidArgument.answer(
                    text: "Recipient of the message is not set.",
                    violations: [("message", "Recipient of the message is not set.")]))
        }
        let recipient: Recipient
        if message["topic"] != nil {
            guard let name = topic(text) else { return .refused(invalid("message.topic", "Invalid topic name")) }
            recipient = .topic(name)
        } else if message["condition"] != nil {
            guard text.contains(" in topics") else {
                return .refused(invalid("message.condition", "Invalid condition expression provided."))
            }
            recipient = .condition(text)
        } else {
            recipient = .token(text)
        }
        if let answer = dataFault(message["data"]) { return .refused(answer) }
        var content = Content(
            recipient: recipient, data: (message["data"] ?? .object([])).bytes, priority: "NORMAL",
            timeToLive: longestTimeToLive, collapseKey: nil,
            isDryRun: (root["validate_only"] ?? root["validateOnly"])?.bool ?? false,
            hasNotification: message["notification"] != nil)
        if let android = message["android"], let answer = readAndroid(android, into: &content) {
            return .refused(answer)
        }
        if size(message) > (content.token == nil ? 2048 : 4096) { return .refused(FCMError.messageTooBig.answer()) }
        return .content(content)
    }

    private static func readAndroid(_ android: JSONValue, into content: inout Content) -> ProviderAnswer? {
        guard let members = android.members else {
            return badRequest("Invalid value at 'message.android'", field: "message.android")
        }
        if let answer = unknown(members, known: androidKeys, at: "message.android") { return answer }
        if let priority = android["priority"] {
            // The SDKs write lower case, and FCM takes it.
            guard let name = priority.string?.uppercased(), ["HIGH", "NORMAL"].contains(name) else {
                return badRequest(
                    "Invalid value at 'message.android.priority' "
                        + "(type.googleapis.com/google.firebase.fcm.v1.AndroidConfig.AndroidMessagePriority), "
                        + priority.text, field: "message.android.priority")
            }
            content.priority = name
        }
        if let ttl = android["ttl"] {
            guard let text = ttl.string, let milliseconds = duration(text) else {
                return badRequest(
                    "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), \(ttl.text)",
                    field: "message.android.ttl")
            }
            guard (0...longestTimeToLive).contains(milliseconds) else {
                return invalid(
                    "message.android.ttl", "Invalid TTL duration: it must be between 0 and 2419200 seconds.")
            }
            content.timeToLive = milliseconds
        }
        content.collapseKey = (android["collapse_key"] ?? android["collapseKey"])?.string
        content.hasNotification = content.hasNotification || android["notification"] != nil
        return nil
    }

    /// `data` maps strings to strings, and some names are FCM's own.
    private static func dataFault(_ data: JSONValue?) -> ProviderAnswer? {
        guard let data else { return nil }
        guard let members = data.members else {
            return badRequest("Invalid value at 'message.data'", field: "message.data")
        }
        for (index, member) in members.enumerated() {
            guard member.value.string != nil else {
                let field = "message.data[\(index)].value"
                return badRequest("Invalid value at '\(field)' (TYPE_STRING), \(member.value.text)", field: field)
            }
            let key = member.key
            if ["from", "message_type", "collapse_key"].contains(key) || key.hasPrefix("gcm") || key.hasPrefix("google")
            {
                return invalid("message.data", "Invalid data payload key: \(key)")
            }
        }
        return nil
    }

    private static func unknown(_ members: [JSONValue.Member], known: Set<String>, at place: String) -> ProviderAnswer?
    {
        guard let stranger = members.first(where: { !known.contains($0.key) }) else { return nil }
        let at = place.isEmpty ? "" : " at '\(place)'"
        return badRequest(
            "Invalid JSON payload received. Unknown name \"\(stranger.key)\"\(at): Cannot find field.", field: place)
    }

    /// What FCM itself refuses: one field and why.
    private static func invalid(_ field: String, _ text: String) -> ProviderAnswer {
        FCMError.invalidArgument.answer(text: text, violations: [(field, text)])
    }

    /// `/topics/news` and `news` are the same.
    private static func topic(_ text: String) -> String? {
        let name = text.hasPrefix("/topics/") ? String(text.dropFirst(8)) : text
        let isName = !name.isEmpty && name.utf8.allSatisfy { isTokenByte($0) || "-_.~%".utf8.contains($0) }
        return isName ? name : nil
    }

    /// What Google's JSON front end refuses before FCM sees it: a `BadRequest` detail and no `FcmError`.
    private static func badRequest(_ text: String, field: String) -> ProviderAnswer {
        let violation: JSONValue = ["field": .string(field), "description": .string(text)]
        let detail: JSONValue = [
            "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation],
        ]
        let error: JSONValue = [
            "code": 400, "message": .string(text), "status": "INVALID_ARGUMENT", "details": [detail],
        ]
        return ProviderAnswer(
            status: 400, headers: ["content-type": "application/json; charset=UTF-8"],
            body: JSONValue.object([.init("error", error)]).bytes, reason: "INVALID_ARGUMENT")
    }

    /// Keys and values of the payload, which is what FCM counts.
    private static func size(_ message: JSONValue) -> Int {
        let data = message["data"]?.members ?? []
        let own = data.reduce(0) { $0 + $1.key.utf8.count + ($1.value.string?.utf8.count ?? 0) }
        return own + (message["notification"]?.bytes.count ?? 0)
    }

    /// `3.5s` in milliseconds.
    static func duration(_ text: String) -> Int64? {
        guard text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds.isFinite else { return nil }
        return Int64((seconds * 1000).rounded())
    }

    /// What may be a registration token or an installation id at all.
    static func isToken(_ token: String) -> Bool {
        token.utf8.count >= 16 && token.utf8.allSatisfy { isTokenByte($0) || $0 == UInt8(ascii: ":") }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
