import HTTP2

/// What a payload would make a phone do, found without making values of all of it.
struct APNSPayload: Equatable {
    private static let showing: [StaticString] = ["alert", "badge", "sound"]
    private var hasAPS = false
    private var shows = false
    private var isContentAvailable = false

    /// Nil if the bytes are no JSON object.
    init?(_ body: [UInt8]) {
        var payload = APNSPayload()
        let isObject = JSONParser.scan(body) { key, parser in
            guard ("aps" as StaticString).isSame(key) else { return parser.skip() }
            payload = APNSPayload()
            guard parser.isAtObject else { return parser.skip() }
            payload.hasAPS = true
            return parser.members { key, parser in payload.take(key, &parser) }
        }
        guard isObject else { return nil }
        self = payload
    }

    private init() {}

    private mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ parser: inout JSONParser) -> Bool {
        if ("content-available" as StaticString).isSame(key) {
            guard let value = parser.value() else { return false }
            isContentAvailable = value.integer == 1
            return true
        }
        if Self.showing.contains(where: { $0.isSame(key) }) { shows = true }
        return parser.skip()
    }

    /// What iOS 13 and later never shows: APNs answers 200 all the same.
    func isVain(_ pushType: String) -> Bool {
        guard hasAPS else { return true }
        return switch pushType {
        case "": true
        case "background": shows || !isContentAvailable
        case "alert": !shows
        default: false
        }
    }
}
