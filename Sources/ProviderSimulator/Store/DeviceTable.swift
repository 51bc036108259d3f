/// Store-and-forward as the two providers do it, token by token. Pure: time comes as an argument, what is to be delivered
/// goes out as a value.
struct DeviceTable: Sendable {
    /// What reaches a phone.
    struct Outgoing: Hashable, Sendable {
        enum Kind: String, Sendable {
            case message
            /// Shown by the system; the app sees nothing of it.
            case notification
            /// FCM gave up on what it had stored: the app's `onDeletedMessages`.
            case deletedMessages
        }

        var device: Device
        var kind: Kind
        var message: PushMessage?
    }

    /// FCM keeps at most that many messages for a phone that is away.
    static let fcmLimit = 100
    /// And at most so many collapse keys.
    static let fcmCollapseKeys = 4

    private(set) var devices: [String: Device] = [:]

    subscript(token: String) -> Device? { devices[Self.key(token)] }

    /// Hexadecimal APNs tokens are the same in either case; FCM's are not and contain other letters.
    private static func key(_ token: String) -> String { APNSCheck.isToken(token) ? token.lowercased() : token }

    // MARK: From the control port

    /// Known from now on, with whatever it was before forgotten but what waits for it.
    mutating func register(_ device: Device, now: Int64) -> [Outgoing] {
        var device = device
        if let before = self[device.token] {
            device.stored = before.stored
            device.lostStored = before.lostStored
        }
        devices[Self.key(device.token)] = device
        return device.isOnline ? flush(device.token, now: now) : []
    }

    mutating func setOnline(_ token: String, _ isOnline: Bool, now: Int64) -> [Outgoing] {
        guard self[token] != nil else { return [] }
        devices[Self.key(token)]?.isOnline = isOnline
        return isOnline ? flush(token, now: now) : []
    }

    mutating func setState(_ token: String, _ state: Device.State) { devices[Self.key(token)]?.state = state }

    mutating func removeAll() { devices.removeAll() }

    // MARK: Messages

    /// An accepted message for a known token.
    mutating func accept(_ message: PushMessage, for token: String, now: Int64) -> [Outgoing] {
        guard var device = self[token] else { return [] }
        if let expiresAt = message.expiresAt, expiresAt <= now, !message.isNowOrNever { return [] }
        if device.isOnline { return [Outgoing(device: device, kind: message.kind, message: message)] }
        if message.isNowOrNever { return [] }
        device.provider == "apns" ? Self.storeAPNS(message, in: &device) : Self.storeFCM(message, in: &device)
        devices[Self.key(token)] = device
        return []
    }

    /// APNs keeps one message for each app on a phone: the newest.
    private static func storeAPNS(_ message: PushMessage, in device: inout Device) { device.stored = [message] }

    private static func storeFCM(_ message: PushMessage, in device: inout Device) {
        if let key = message.collapseKey {
            device.stored.removeAll { $0.collapseKey == key }
            let keys = Set(device.stored.compactMap(\.collapseKey))
            if keys.count >= fcmCollapseKeys, let oldest = device.stored.first(where: { $0.collapseKey != nil }) {
                device.stored.removeAll { $0.collapseKey == oldest.collapseKey }
            }
        }
        device.stored.append(message)
        if device.stored.count(where: { $0.collapseKey == nil }) > fcmLimit {
            device.stored.removeAll()
            device.lostStored = true
        }
    }

    private mutating func flush(_ token: String, now: Int64) -> [Outgoing] {
        guard let device = self[token] else { return [] }
        devices[Self.key(token)]?.stored = []
        devices[Self.key(token)]?.lostStored = false
        var outgoing: [Outgoing] = []
        if device.lostStored { outgoing.append(Outgoing(device: device, kind: .deletedMessages, message: nil)) }
        for message in device.stored where message.expiresAt.map({ $0 > now }) ?? true {
            outgoing.append(Outgoing(device: device, kind: message.kind, message: message))
        }
        return outgoing
    }
}
