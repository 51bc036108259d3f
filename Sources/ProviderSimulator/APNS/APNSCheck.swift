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
        var topic: String
        var pushType: String
        var priority: Int
        /// Epoch seconds; 0 = one attempt only, nil = stored as long as APNs likes.
        var expiration: Int64?
        var collapseID: String?
        /// A background push without `content-available`, or an alert without anything to show: accepted and dropped.
        var isVain: Bool
    }

    enum Result: Equatable {
        case content(Content)
        case refused(APNSReason)
    }

    /// Path and method, before the provider token is looked at. The token from the path if both are right.
    static func route(_ request: ProviderRequest) -> (token: String?, refusal: APNSReason?) {
        guard request.isComplete else { return (nil, .idleTimeout) }
        guard request.method == "POST" else { return (nil, .methodNotAllowed) }
        let prefix = "/3/device"
        guard request.path.hasPrefix(prefix) else { return (nil, .badPath) }
        let rest = request.path.utf8.dropFirst(prefix.utf8.count)
        if rest.isEmpty || rest.elementsEqual("/".utf8) { return (nil, .missingDeviceToken) }
        guard rest.first == UInt8(ascii: "/"), !rest.dropFirst().contains(UInt8(ascii: "/")) else {
            return (nil, .badPath)
        }
        let token = String(Substring(rest.dropFirst()))
        return (token.utf8.contains { (0x41...0x5A).contains($0) } ? token.lowercased() : token, nil)
    }

    /// Everything else that the request says about itself.
    static func content(_ headers: APNSHeaders, body: [UInt8], topics: [String]?) -> Result {
        if headers.hasDuplicates { return .refused(.duplicateHeaders) }
        guard let topic = headers.topic, !topic.isEmpty else { return .refused(.missingTopic) }
        if let topics {
            guard topics.contains(topic) else {
                return .refused(topic.utf8.allSatisfy(isTopicByte) ? .topicDisallowed : .badTopic)
            }
        } else if !topic.utf8.allSatisfy(isTopicByte) {
            return .refused(.badTopic)
        }
        if let id = headers.id, !isCanonicalUUID(id) { return .refused(.badMessageID) }
        var expiration: Int64?
        if let text = headers.expiration {
            guard let seconds = Int64(text), seconds >= 0 else { return .refused(.badExpirationDate) }
            expiration = seconds
        }
        var priority = 10
        if let text = headers.priority {
            guard let number = Int(text), [1, 5, 10].contains(number) else { return .refused(.badPriority) }
            priority = number
        }
        if let id = headers.collapseID, id.isEmpty || id.utf8.count > 64 { return .refused(.badCollapseID) }
        let pushType = headers.pushType ?? ""
        guard pushType.isEmpty || pushTypes.contains(pushType) else { return .refused(.invalidPushType) }
        if pushType == "background" && priority == 10 { return .refused(.badPriority) }
        if body.isEmpty { return .refused(.payloadEmpty) }
        if body.count > (pushType == "voip" ? 5120 : 4096) { return .refused(.payloadTooLarge) }
        // APNs has no reason of its own for a body that is no JSON object.
        guard let aps = JSONValue.member("aps", of: body) else { return .refused(.payloadEmpty) }
        return .content(
            Content(
                topic: topic, pushType: pushType, priority: priority, expiration: expiration,
                collapseID: headers.collapseID, isVain: isVain(aps, pushType: pushType)))
    }

    /// What iOS 13 and later never shows: APNs answers 200 all the same.
    private static func isVain(_ aps: JSONValue, pushType: String) -> Bool {
        guard aps.members != nil else { return true }
        let shows = aps["alert"] != nil || aps["badge"] != nil || aps["sound"] != nil
        switch pushType {
        case "": return true
        case "background": return shows || aps["content-available"]?.integer != 1
        case "alert": return !shows
        default: return false
        }
    }

    static func isToken(_ token: String) -> Bool {
        let count = token.utf8.count
        return count >= 32 && count <= 200 && count % 2 == 0 && token.utf8.allSatisfy(isHexByte)
    }

    static func isCanonicalUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        var index = 0
        for byte in text.utf8 {
            let isRight = index == 8 || index == 13 || index == 18 || index == 23
                ? byte == UInt8(ascii: "-") : isHexByte(byte)
            if !isRight { return false }
            index += 1
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
