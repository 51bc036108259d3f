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
        var pushType: String
        var priority: Int
        /// Epoch seconds; 0 = one attempt only, nil = stored as long as APNs likes.
        var expiration: Int64?
        /// A background push without `content-available`, or an alert without anything to show: accepted and dropped.
        var isVain: Bool
    }

    enum Result: Equatable {
        case content(Content)
        case refused(APNSReason)
    }

    /// Path and method, before the provider token is looked at. The token from the path if both are right.
    static func route(_ request: ReceivedRequest) -> (token: String?, refusal: APNSReason?) {
        guard request.isComplete else { return (nil, .idleTimeout) }
        guard let method = request.fields.value(of: ":method"), method == "POST" else {
            return (nil, .methodNotAllowed)
        }
        let path = request.fields.value(of: ":path")?.bytes ?? []
        let prefix: StaticString = "/3/device"
        guard path.count >= prefix.utf8CodeUnitCount,
            FieldText(bytes: path.prefix(prefix.utf8CodeUnitCount)) == prefix
        else { return (nil, .badPath) }
        let rest = path.dropFirst(prefix.utf8CodeUnitCount)
        guard let slash = rest.first else { return (nil, .missingDeviceToken) }
        let token = rest.dropFirst()
        guard slash == UInt8(ascii: "/"), !token.contains(UInt8(ascii: "/")) else { return (nil, .badPath) }
        guard !token.isEmpty else { return (nil, .missingDeviceToken) }
        let text = String(decoding: token, as: UTF8.self)
        return (token.contains { (0x41...0x5A).contains($0) } ? text.lowercased() : text, nil)
    }

    /// Everything else that the request says about itself.
    static func content(_ headers: APNSHeaders, body: [UInt8], topics: [String]?) -> Result {
        if headers.hasDuplicates { return .refused(.duplicateHeaders) }
        guard let topic = headers.topic, !topic.bytes.isEmpty else { return .refused(.missingTopic) }
        if topics?.contains(where: { topic == $0 }) != true {
            guard topic.bytes.allSatisfy(isTopicByte) else { return .refused(.badTopic) }
            if topics != nil { return .refused(.topicDisallowed) }
        }
        if let id = headers.id, !isCanonicalUUID(id.bytes) { return .refused(.badMessageID) }
        var expiration: Int64?
        if let text = headers.expiration?.text {
            guard let seconds = Int64(text), seconds >= 0 else { return .refused(.badExpirationDate) }
            expiration = seconds
        }
        var priority = 10
        if let text = headers.priority?.text {
            guard let number = Int(text), [1, 5, 10].contains(number) else { return .refused(.badPriority) }
            priority = number
        }
        if let id = headers.collapseID, id.bytes.isEmpty || id.bytes.count > 64 { return .refused(.badCollapseID) }
        let pushType = headers.pushType?.text ?? ""
        guard pushType.isEmpty || pushTypes.contains(pushType) else { return .refused(.invalidPushType) }
        if pushType == "background" && priority == 10 { return .refused(.badPriority) }
        if body.isEmpty { return .refused(.payloadEmpty) }
        if body.count > (pushType == "voip" ? 5120 : 4096) { return .refused(.payloadTooLarge) }
        // APNs has no reason of its own for a body that is no JSON object.
        guard let payload = APNSPayload(body) else { return .refused(.payloadEmpty) }
        return .content(
            Content(
                pushType: pushType, priority: priority, expiration: expiration, isVain: payload.isVain(pushType)))
    }

    static func isToken(_ token: String) -> Bool {
        let count = token.utf8.count
        return count >= 32 && count <= 200 && count % 2 == 0 && token.utf8.allSatisfy(isHexByte)
    }

    static func isCanonicalUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            let isDash = index == 8 || index == 13 || index == 18 || index == 23
            guard isDash ? byte == UInt8(ascii: "-") : isHexByte(byte) else { return false }
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
