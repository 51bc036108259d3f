public import LocalStack

/// Everything that makes one load test what it is.
public struct LoadPlan: Sendable {
    public var shape = ArrivalShape.constant(100)
    /// Jobs come at equal distances instead of as chance has it.
    public var isEven = false
    /// Of arrivals.
    public var seconds = 30.0
    public var seed: UInt64 = 1
    public var accounts = 64
    public var devices = DeviceSpread.fixed(2)
    public var routes = RouteMix.usual
    public var skew = Skew(exponent: 0)
    /// Ciphertext of each job.
    public var bodyBytes = 1024
    /// Phones that fetch, open and acknowledge; they get their share of the jobs beside the other accounts.
    public var phones = 0
    /// Queues of outsiders on `events`, each with a reader.
    public var outsiders = 0
    public var instances: [ServiceKind: Int] = [:]
    public var providers = ProviderBehaviour()
    public var faults = FaultTimeline([])
    /// Variables of every service in place of what a private stack sets.
    public var settings: [String: String] = [:]
    /// Connections that commit.
    public var producers = 4
    /// Jobs that a producer which is late commits in one transaction.
    public var batch = 20
    /// How long hints may take to end after the last arrival.
    public var patience = 120.0
    /// Whether a copy of each hint is taken from the broker for the instant of its publication: more work for the broker.
    public var stampsPublish = true

    public init() {}

    func instances(of kind: ServiceKind) -> Int { instances[kind] ?? 1 }

    /// `relay=2,apns-sender=4`; nil if it is not that.
    public static func instances(_ text: String) -> [ServiceKind: Int]? {
        var instances: [ServiceKind: Int] = [:]
        for part in text.split(separator: ",") {
            let halves = part.split(separator: "=").map(String.init)
            guard halves.count == 2, let kind = ServiceKind(rawValue: halves[0]), let count = Int(halves[1]),
                (1...64).contains(count)
            else { return nil }
            instances[kind] = count
        }
        return instances
    }
}
