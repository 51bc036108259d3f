/// How much the simulated providers take. Nil: without limit.
public struct Quotas: Hashable, Sendable {
    public var fcmProjectPerMinute: Int?
    public var fcmDevicePerMinute: Int?
    public var fcmDevicePerHour: Int?
    /// Messages with a collapse key for one phone, of which one more is delivered every three minutes; the rest wait.
    public var fcmCollapsibleBurst: Int?
    /// Apple publishes no number.
    public var apnsDevicePerMinute: Int?
    /// Background pushes for one phone that are delivered; the newest of the rest waits.
    public var apnsBackgroundPerHour: Int?

    public init() {}

    /// What Google's and Apple's documents say.
    public static var published: Quotas {
        var quotas = Quotas()
        quotas.fcmProjectPerMinute = 600_000
        quotas.fcmDevicePerMinute = 240
        quotas.fcmDevicePerHour = 5000
        quotas.fcmCollapsibleBurst = 20
        quotas.apnsBackgroundPerHour = 3
        return quotas
    }
}

extension Quotas {
    init(_ value: JSONValue, at place: String) throws(ScriptError) {
        self.init()
        if value.string == "published" {
            self = .published
            return
        }
        guard value.members != nil else {
            throw ScriptError("\(place) must be \"published\" or an object of numbers")
        }
        let fields = try Fields(
            value, at: place,
            known: [
                "fcmProjectPerMinute", "fcmDevicePerMinute", "fcmDevicePerHour", "fcmCollapsibleBurst",
                "apnsDevicePerMinute", "apnsBackgroundPerHour",
            ])
        func limit(_ name: String) throws(ScriptError) -> Int? {
            try fields.integer(name, in: 1...1_000_000_000).map { Int($0) }
        }
        fcmProjectPerMinute = try limit("fcmProjectPerMinute")
        fcmDevicePerMinute = try limit("fcmDevicePerMinute")
        fcmDevicePerHour = try limit("fcmDevicePerHour")
        fcmCollapsibleBurst = try limit("fcmCollapsibleBurst")
        apnsDevicePerMinute = try limit("apnsDevicePerMinute")
        apnsBackgroundPerHour = try limit("apnsBackgroundPerHour")
    }
}
