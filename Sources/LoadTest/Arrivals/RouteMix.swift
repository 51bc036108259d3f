public import Delivery

/// Which routes the devices of a test are on, by weight.
public struct RouteMix: Equatable, Sendable, CustomStringConvertible {
    public let weights: [(route: Route, weight: Double)]

    /// The app that the simulator makes.
    static let app = "cheqi"
    static let names: [(name: String, route: Route)] = [
        ("apns-production", Route(provider: .apns, environment: "production", app: app)),
        ("apns-sandbox", Route(provider: .apns, environment: "sandbox", app: app)),
        ("fcm", Route(provider: .fcm, environment: "", app: app)),
    ]

    /// Half the devices on APNs, half on FCM.
    public static let usual = RouteMix(weights: [(names[0].route, 1), (names[2].route, 1)])

    private init(weights: [(route: Route, weight: Double)]) { self.weights = weights }

    /// `apns-production=45,apns-sandbox=5,fcm=50`.
    public init?(_ text: String) {
        var weights: [(route: Route, weight: Double)] = []
        for part in text.split(separator: ",") {
            let halves = part.split(separator: "=").map(String.init)
            guard halves.count == 2, let known = Self.names.first(where: { $0.name == halves[0] }),
                let weight = Double(halves[1]), weight > 0, weight < 1e9
            else { return nil }
            weights.append((known.route, weight))
        }
        guard !weights.isEmpty else { return nil }
        self.weights = weights
    }

    /// Routes of `count` devices, as near to the weights as whole numbers are, in an order that chance decides.
    func routes(of count: Int, using random: inout some RandomNumberGenerator) -> [Route] {
        let all = weights.reduce(0) { $0 + $1.weight }
        return (0..<count).map { device in
            var left = (Double(device) + 0.5) / Double(count) * all
            for (route, weight) in weights {
                left -= weight
                if left < 0 { return route }
            }
            return weights[weights.count - 1].route
        }.shuffled(using: &random)
    }

    public static func == (left: RouteMix, right: RouteMix) -> Bool {
        left.weights.elementsEqual(right.weights) { $0.route == $1.route && $0.weight == $1.weight }
    }

    public var description: String {
        weights.map { "\($0.route) \(Figure.text($0.weight))" }.joined(separator: ", ")
    }
}
