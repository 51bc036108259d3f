import Testing

@testable import ProviderSimulator

/// Every row of Apple's table as aioapns shows it: by a request that APNs refuses, and by script.
enum APNSClientCases {
    private struct Fault {
        var reason: String?
        /// Changes of an honest notification.
        var notification = "{}"
        /// What else the program does wrong.
        var conduct = "{}"
        var app: String? = PushClientSite.topic
        var environment = "production"
        var state = Device.State.active

        init(
            _ reason: String?, notification: String = "{}", conduct: String = "{}",
            app: String? = PushClientSite.topic, environment: String = "production", state: Device.State = .active
        ) {
            self.reason = reason
            self.notification = notification
            self.conduct = conduct
            self.app = app
            self.environment = environment
            self.state = state
        }
    }

    private static let long = String(repeating: "x", count: 4096)

    private static let faults = [
        Fault(nil), Fault(nil, conduct: #"{"sandbox":true}"#, environment: "sandbox"),
        Fault("BadCollapseId", notification: #"{"collapse_key":"\#(long.prefix(65))"}"#),
        Fault("BadDeviceToken", app: nil), Fault("BadDeviceToken", environment: "sandbox"),
        Fault("BadExpirationDate", notification: #"{"time_to_live":-4000000000}"#),
        Fault("BadMessageId", notification: #"{"notification_id":"not-a-uuid"}"#),
        Fault("BadPriority", notification: #"{"priority":7}"#),
        Fault("BadPriority", notification: #"{"push_type":"background","priority":10}"#),
        Fault("BadTopic", notification: #"{"apns_topic":"com example"}"#),
        Fault("DeviceTokenNotForTopic", app: "com.example.other"),
        Fault("DuplicateHeaders", conduct: #"{"twice":"apns-topic"}"#),
        Fault("IdleTimeout", conduct: #"{"withholdsBody":true}"#),
        Fault("InvalidPushType", notification: #"{"push_type":"loud"}"#),
        Fault("MissingDeviceToken", notification: #"{"device_token":""}"#),
        Fault("MissingTopic", conduct: #"{"fields":{"apns-topic":null}}"#),
        Fault("PayloadEmpty", conduct: #"{"body":""}"#),
        Fault("TopicDisallowed", notification: #"{"apns_topic":"com.example.foreign"}"#),
        Fault("ExpiredProviderToken", conduct: #"{"signing":{"age":3700}}"#),
        Fault("Forbidden", conduct: #"{"before":{},"signing":\#(PushClientSite.signing(.otherTeam))}"#),
        Fault("InvalidProviderToken", conduct: #"{"signing":{"keyId":"NOSUCHKEY1"}}"#),
        Fault("InvalidProviderToken", conduct: #"{"signing":{"team":"NOSUCHTEAM"}}"#),
        Fault("MissingProviderToken", conduct: #"{"fields":{"authorization":null}}"#),
        Fault("UnrelatedKeyIdInToken", conduct: #"{"before":{},"signing":\#(PushClientSite.signing(.otherKey))}"#),
        Fault("BadEnvironmentKeyInToken", conduct: #"{"signing":\#(PushClientSite.signing(.sandboxKey))}"#),
        Fault("BadPath", notification: #"{"device_token":"ab/cd"}"#),
        Fault("MethodNotAllowed", conduct: #"{"fields":{":method":"PUT"}}"#),
        Fault("ExpiredToken", state: .expired(1_700_000_000_123)),
        Fault("Unregistered", state: .unregistered(1_700_000_000_123)),
        Fault("PayloadTooLarge", notification: #"{"message":{"aps":{"alert":"\#(long)"}}}"#),
        Fault("TooManyProviderTokenUpdates", conduct: #"{"before":{}}"#),
        Fault("TooManyRequests", conduct: #"{"repeats":\#(PushClientSite.perDevice + 1)}"#),
    ]

    /// Rows that no request can bring about: what is wrong with them is the provider's own, or a certificate's.
    static let onlyByScript: Set<APNSReason> = [
        .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .internalServerError,
        .serviceUnavailable, .shutdown,
    ]

    static let refused: [PushClientCase] = faults.enumerated().map { number, fault in
        let token = PushClientCase.apnsToken(number)
        var device = fault.app.map {
            Device(token: token, provider: "apns", app: $0, environment: fault.environment)
        }
        device?.state = fault.state
        let name = "\(fault.reason ?? "accepted") by request \(number)"
        let timestamp: JSONValue = if case .active = fault.state { .null } else { 1_700_000_000_123 }
        return PushClientCase(
            name: name, description: description(token, fault.notification, fault.conduct), device: device,
            expected: expected(fault.reason, timestamp: timestamp))
    }

    static let scripted: [PushClientCase] = APNSReason.allCases.enumerated().map { number, reason in
        let token = PushClientCase.apnsToken(1000 + number)
        return PushClientCase(
            name: "\(reason.rawValue) by script", description: description(token, "{}", "{}"),
            device: Device(token: token, provider: "apns", app: PushClientSite.topic, environment: "production"),
            script: ["answer": ["reason": .string(reason.rawValue), "timestamp": 17]],
            expected: expected(reason.rawValue, timestamp: reason.status == 410 ? 17 : .null))
    }

    private static func expected(_ reason: String?, timestamp: JSONValue) -> [JSONValue.Member] {
        let status = reason.flatMap(APNSReason.init(rawValue:))?.status ?? 200
        return [
            .init("status", .integer(Int64(status))), .init("reason", reason.map { .string($0) } ?? .null),
            .init("timestamp", timestamp), .init("exception", .null),
        ]
    }

    private static func description(_ token: String, _ notification: String, _ conduct: String) -> [JSONValue.Member] {
        let honest: JSONValue = [
            "device_token": .string(token), "message": ["aps": ["alert": "x"], "jobId": "j"],
            "notification_id": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "time_to_live": 600, "priority": 10,
            "collapse_key": "job", "push_type": "alert",
        ]
        let changes = JSONValue.of(notification).members ?? []
        let kept = (honest.members ?? []).filter { member in !changes.contains { $0.key == member.key } }
        return [.init("provider", "apns"), .init("notification", .object(kept + changes))]
            + (JSONValue.of(conduct).members ?? [])
    }
}
