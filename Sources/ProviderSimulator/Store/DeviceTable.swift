/// Store-and-forward as the two providers do it, token by token. Pure: time comes as an argument, what is to be delivered
/// goes out as a value.
struct DeviceTable: Sendable {
    /// FCM keeps at most that many messages for a phone that is away.
    static let fcmLimit = 100
    /// And at most so many collapse keys.
    static let fcmCollapseKeys = 4

    private(set) var devices: [Device] = []
    /// Where each token's phone is.
    private var places: [String: Int] = [:]
    /// Phones that could be reached but have used up a budget, and when they get what waits.
    private var held: [String: Int64] = [:]

    /// By the token as `key` writes it.
    subscript(token: String) -> Device? { places[token].map { devices[$0] } }

    /// App and state of a token that the provider knows there.
    func state(of token: String, provider: String, environment: String) -> (app: String, state: Device.State)? {
        // In place: copying the whole phone out of the table for every request would cost more than all checks.
        guard let place = places[token], devices[place].provider == provider,
            devices[place].environment == environment
        else { return nil }
        return (devices[place].app, devices[place].state)
    }

    /// Hexadecimal APNs tokens are the same in either case; FCM's are not and contain other letters.
    static func key(_ token: String) -> String { APNSCheck.isToken(token) ? token.lowercased() : token }

    // MARK: From the control port

    /// Known from now on, with whatever it was before forgotten but what waits for it.
    mutating func register(_ device: Device, now: Int64) -> [Outgoing] {
        var device = device
        let key = Self.key(device.token)
        if let place = places[key] {
            device.stored = devices[place].stored
            device.lostStored = devices[place].lostStored
            devices[place] = device
        } else {
            places[key] = devices.count
            devices.append(device)
        }
        return flush(key, now: now)
    }

    mutating func setState(_ token: String, _ state: Device.State) {
        if let place = places[token] { devices[place].state = state }
    }

    func subscribers(of topic: String, app: String) -> [String] {
        devices.filter { device in
            device.topics.contains(topic) && device.app == app && device.provider == "fcm" && device.state == .active
        }.map { Self.key($0.token) }
    }

    // MARK: Messages

    /// An accepted message for a known token. `waits` is how long a budget keeps it back.
    mutating func accept(_ message: PushMessage, for token: String, now: Int64, waits: Int64 = 0) -> [Outgoing] {
        guard let place = places[token] else { return [] }
        if let expiresAt = message.expiresAt, expiresAt <= now, !message.isNowOrNever { return [] }
        let isReachable = devices[place].isOnline && (devices[place].isAwake || message.isUrgent)
        if isReachable && waits == 0 { return [Outgoing(message, to: devices[place])] }
        if message.isNowOrNever { return [] }
        if waits > 0 { held[token] = max(held[token] ?? 0, now + waits) }
        if devices[place].provider == "fcm" {
            Self.storeFCM(message, in: &devices[place])
        } else {
            // APNs keeps one message for each app on a phone: the newest.
            devices[place].stored = [message]
        }
        return []
    }

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

    /// What a phone gets that can be reached again.
    private mutating func flush(_ token: String, now: Int64) -> [Outgoing] {
        guard let place = places[token], devices[place].isOnline, devices[place].isAwake,
            held[token].map({ $0 <= now }) ?? true
        else { return [] }
        held[token] = nil
        let device = devices[place]
        guard device.lostStored || !device.stored.isEmpty else { return [] }
        devices[place].stored = []
        devices[place].lostStored = false
        var outgoing: [Outgoing] = device.lostStored ? [Outgoing(nil, to: device)] : []
        for message in device.stored where message.expiresAt.map({ $0 > now }) ?? true {
            outgoing.append(Outgoing(message, to: device))
        }
        return outgoing
    }

    /// What was kept back by a budget and is due.
    mutating func flushDue(now: Int64) -> [Outgoing] {
        guard !held.isEmpty else { return [] }
        let due = held.filter { $0.value <= now }.keys.sorted()
        var outgoing: [Outgoing] = []
        for token in due {
            outgoing += flush(token, now: now)
            held[token] = nil
        }
        return outgoing
    }
}
