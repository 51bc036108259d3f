import HTTP2

/// The checks of one APNs request that need nothing but the request itself, in the order in which APNs makes them as
/// far as that can be told from outside.
struct APNSCheck {
    static let pushTypes: Set<String> = [
        "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity", "pushtotalk",
        "widgets", "controls",
    ]

    /// What a well-formed request says.
    struct Content: Equatable {
        var token: String
        var topic: String
        var pushType: String
        var priority: Int
        /// Epoch seconds; 0 = one attempt only, nil = stored as long as APNs likes.
        var expiration: Int64?
        var collapseID: String?
        var id: String?
        /// The whole body.
        var payload: [UInt8]
        /// A background push without `content-available`, or an alert without anything to show: accepted and dropped.
        var isVain: Bool
    }

    enum Result: Equatable {
        case content(Content)
        case refused(APNSReason)
    }

    /// Path and method, before the provider token is looked at. The token from the path if both are right.
    static func route(_ request: ProviderRequest) -> (token: String?, refusal: APNSReason?) {
        guard request.method == "POST" else { return (nil, .methodNotAllowed) }
        let prefix = "/3/device"
        guard request.path.hasPrefix(prefix) else { return (nil, .badPath) }
        let rest = request.path.dropFirst(prefix.count)
        if rest.isEmpty || rest == "/" { return (nil, .missingDeviceToken) }
        guard rest.hasPrefix("/"), !rest.dropFirst().contains("/") else { return (nil, .badPath) }
        return (String(rest.dropFirst()).lowercased(), nil)
    }

    /// Everything else that the request says about itself.
    static func content(_ request: ProviderRequest, token: String, topics: [String]?) -> Result {
        let names = request.fields.map(\.name).filter { $0.hasPrefix("apns-") || $0 == "authorization" }
        if Set(names).count != names.count { return .refused(.duplicateHeaders) }
        guard let topic = request.header("apns-topic"), !topic.isEmpty else { return .refused(.missingTopic) }
        guard topic.utf8.allSatisfy(isTopicByte) else { return .refused(.badTopic) }
        if let topics, !topics.contains(topic) { return .refused(.topicDisallowed) }
        let id = request.header("apns-id")
        if let id, !isCanonicalUUID(id) { return .refused(.badMessageID) }
        var expiration: Int64?
        if let text = request.header("apns-expiration") {
            guard let seconds = Int64(text), seconds >= 0 else { return .refused(.badExpirationDate) }
            expiration = seconds
        }
        var priority = 10
        if let text = request.header("apns-priority") {
            guard let number = Int(text), [1, 5, 10].contains(number) else { return .refused(.badPriority) }
            priority = number
        }
        let collapseID = request.header("apns-collapse-id")
        if let collapseID, collapseID.isEmpty || collapseID.utf8.count > 64 { return .refused(.badCollapseID) }
        let pushType = request.header("apns-push-type") ?? ""
        guard pushType.isEmpty || pushTypes.contains(pushType) else { return .refused(.invalidPushType) }
        if pushType == "background" && priority == 10 { return .refused(.badPriority) }
        if request.body.isEmpty { return .refused(.payloadEmpty) }
        if request.body.count > (pushType == "voip" ? 5120 : 4096) { return .refused(.payloadTooLarge) }
        // APNs has no reason of its own for a body that is no JSON object.
        guard let payload = JSONValue(parsing: request.body), payload.members != nil else {
            return .refused(.payloadEmpty)
        }
        return .content(
            Content(
                token: token, topic: topic, pushType: pushType, priority: priority, expiration: expiration,
                collapseID: collapseID, id: id, payload: request.body, isVain: isVain(payload, pushType: pushType)))
    }

    /// What iOS 13 and later never shows: APNs answers 200 all the same.
    private static func isVain(_ payload: JSONValue, pushType: String) -> Bool {
        guard let aps = payload["aps"], aps.members != nil else { return true }
        let shows = aps["alert"] != nil || aps["badge"] != nil || aps["sound"] != nil
        switch pushType {
        case "": return true
        case "background": return shows || aps["content-available"]?.integer != 1
        case "alert": return !shows
        default: return false
        }
    }

    static func isToken(_ token: String) -> Bool {
        token.utf8.count >= 32 && token.utf8.count <= 200 && token.utf8.count % 2 == 0
            && token.utf8.allSatisfy(isHexByte)
    }

    static func isCanonicalUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        for (index, byte) in bytes.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                if byte != UInt8(ascii: "-") { return false }
            } else if !isHexByte(byte) {
                return false
            }
        }
        return true
    }

    private static func isHexByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
