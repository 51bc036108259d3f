public import Delivery

/// Type `outcome.v1`: 1 to 200 outcomes of one route, from one sender process to the recorder.
public struct OutcomeBatch: Equatable, Sendable {
    public static let limit = 200

    /// The sender process, as `MOBILE_DELIVERY_INSTANCE` names it.
    public var instance: String
    public var route: Route
    public var outcomes: [Outcome]

    public init(instance: String, route: Route, outcomes: [Outcome]) {
        self.instance = instance
        self.route = route
        self.outcomes = outcomes
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("instance", instance)
            $0.members(of: route)
            $0.key("outcomes")
            $0.array { for outcome in outcomes { outcome.write(to: &$0) } }
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        var outcomes: [Outcome] = []
        for value in try reader.array("outcomes") { outcomes.append(try Outcome(reading: JSONReader(value))) }
        guard (1...OutcomeBatch.limit).contains(outcomes.count) else { throw .malformed("not 1 to 200 outcomes") }
        self.init(instance: try reader.string("instance"), route: try reader.route(), outcomes: outcomes)
    }
}
