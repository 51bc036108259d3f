import Delivery

/// What befalls senders in one campaign: a provider in trouble, or a configuration that is wrong.
public enum ProviderTrouble: String, CaseIterable, Sendable, CustomStringConvertible {
    case storm
    case wrongTopic = "wrong-topic"
    case revokedKey = "revoked-key"
    case wrongProject = "wrong-project"
    case wrongSenderID = "wrong-sender-id"
    case badTokens = "bad-tokens"
    case fewBadTokens = "few-bad-tokens"

    public var description: String { rawValue }

    public var summary: String {
        switch self {
        case .storm: "5 % server errors, 2 % resets, 1 % without an answer, a GOAWAY and other SETTINGS every second"
        case .wrongTopic: "APNs refuses the topic"
        case .revokedKey: "APNs refuses the key"
        case .wrongProject: "FCM does not know the project"
        case .wrongSenderID: "FCM says that every token belongs to another sender"
        case .badTokens: "APNs calls every token bad, thousands of hints in a row"
        case .fewBadTokens: "APNs calls every token bad, a few hints at a time for long"
        }
    }

    /// Whose route has the trouble; nil: all.
    var provider: Provider? {
        switch self {
        case .storm: nil
        case .wrongTopic, .revokedKey, .badTokens, .fewBadTokens: .apns
        case .wrongProject, .wrongSenderID: .fcm
        }
    }

    /// The word that every hint of the route is answered with; nil for the storm.
    private var answer: String? {
        switch self {
        case .storm: nil
        case .wrongTopic: "TopicDisallowed"
        case .revokedKey: "InvalidProviderToken"
        case .wrongProject: "NOT_FOUND"
        case .wrongSenderID: "SENDER_ID_MISMATCH"
        case .badTokens, .fewBadTokens: "BadDeviceToken"
        }
    }

    /// Whether a route has the trouble. APNs has it in one environment, so that the other can be seen to be undisturbed.
    func concerns(_ route: Route) -> Bool {
        switch provider {
        case nil: true
        case .fcm: route.provider == .fcm
        case .apns: route.provider == .apns && route.environment == "production"
        }
    }

    /// The simulator's script. `turn` counts the seconds of a storm.
    func script(turn: Int) -> String {
        guard let answer else { return Self.storm(turn) }
        let match = provider == .apns ? #"{"provider":"apns","environment":"production"}"# : #"{"provider":"fcm"}"#
        return #"{"rules":[{"match":\#(match),"do":{"answer":"\#(answer)"}}]}"#
    }

    private static func storm(_ turn: Int) -> String {
        let farewell = ["newest", "all"][turn % 2]
        return """
            {"rules":[
              {"match":{"provider":"apns"},"times":1,"do":{"goAway":{"lastStream":"\(farewell)"}}},
              {"match":{"provider":"fcm"},"times":1,"do":{"goAway":{"lastStream":"\(farewell)"}}},
              {"after":20,"times":2,"do":{"streams":\([1, 100, 20][turn % 3])}},
              {"match":{"provider":"apns"},"probability":0.05,"do":{"answer":"ServiceUnavailable"}},
              {"match":{"provider":"fcm"},"probability":0.05,"do":{"answer":"UNAVAILABLE"}},
              {"probability":0.02,"do":{"reset":"INTERNAL_ERROR"}},
              {"probability":0.01,"do":{"hang":true}}
            ]}
            """
    }
}
