/// A service of `mobile-delivery`, as the stack starts it: its command and under whose name it talks to the servers.
public enum ServiceKind: String, CaseIterable, Codable, Sendable, CustomStringConvertible {
    case relay
    case apnsSender = "apns-sender"
    case fcmSender = "fcm-sender"
    case coordinator
    case ackRecorder = "ack-recorder"
    case gateway

    public var description: String { rawValue }

    /// nil for those that have no database.
    var databaseRole: String? {
        switch self {
        case .relay: "md_relay"
        case .apnsSender, .fcmSender: nil
        case .coordinator: "md_coordinator"
        case .ackRecorder: "md_recorder"
        case .gateway: "md_gateway"
        }
    }

    var brokerUser: String {
        switch self {
        case .ackRecorder: "recorder"
        case .relay, .apnsSender, .fcmSender, .coordinator, .gateway: rawValue
        }
    }
}
