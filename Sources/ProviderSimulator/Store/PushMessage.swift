/// A message on its way to a phone.
struct PushMessage: Hashable, Sendable {
    enum Kind: String, Sendable {
        case message
        /// Shown by the system; the app sees nothing of it.
        case notification
        /// FCM gave up on what it had stored: the app's `onDeletedMessages`.
        case deletedMessages
    }

    /// APNs: `apns-id`; FCM: the message's name.
    var id: String
    /// JSON text: what the app's callback gets.
    var payload: [UInt8]
    var collapseKey: String?
    /// As it is delivered.
    var priority: String
    /// As it was sent, if that is something else.
    var originalPriority: String?
    /// Reaches a phone that saves power.
    var isUrgent = true
    /// Epoch milliseconds after which it is not delivered any more; nil = as long as the provider keeps it.
    var expiresAt: Int64?
    /// Not stored: delivered now or never.
    var isNowOrNever = false
    var kind = Kind.message
}

/// What reaches a phone. A class, because it is handed on several times and has many parts.
final class Outgoing: Sendable {
    let provider: String
    let environment: String
    let app: String
    let token: String
    /// Nil for `deletedMessages`.
    let message: PushMessage?

    var kind: PushMessage.Kind { message?.kind ?? .deletedMessages }

    init(_ message: PushMessage?, to device: Device) {
        provider = device.provider
        environment = device.environment
        app = device.app
        token = device.token
        self.message = message
    }
}
