import FoundationEssentials
import HTTP2

/// Whether APNs would take a request as it is built: W1 and the limits of Apple's documentation ("Sending notification
/// requests to APNs"). A dry run asks, as APNs itself has no way to only validate.
struct APNSRequestCheck {
    /// The first fault, in the words of the answer that APNs would give.
    let fault: String?

    private static let payloadLimit = 4096
    private static let collapseIDLimit = 64

    /// `now` is epoch seconds.
    init(_ request: Request, now: Int64) {
        fault = Self.rules.first { !$0.holds(request, now) }?.otherwise
    }

    private struct Rule: Sendable {
        let otherwise: String
        let holds: @Sendable (Request, Int64) -> Bool
    }

    private static let rules = [
        Rule(otherwise: "BadPath") { request, _ in request.path.hasPrefix("/3/device/") },
        Rule(otherwise: "BadDeviceToken") { request, _ in
            APNSRequest.isWellFormed(String(request.path.dropFirst("/3/device/".count)))
        },
        Rule(otherwise: "MissingProviderToken") { request, _ in
            request.headers["authorization"]?.hasPrefix("bearer ") == true
        },
        Rule(otherwise: "MissingTopic") { request, _ in request.headers["apns-topic"]?.isEmpty == false },
        Rule(otherwise: "InvalidPushType") { request, _ in request.headers["apns-push-type"] == "alert" },
        Rule(otherwise: "BadPriority") { request, _ in request.headers["apns-priority"] == "10" },
        Rule(otherwise: "BadMessageId") { request, _ in
            request.headers["apns-id"].flatMap { UUID(uuidString: $0) } != nil
        },
        Rule(otherwise: "BadCollapseId") { request, _ in
            (1...collapseIDLimit).contains(request.headers["apns-collapse-id"]?.utf8.count ?? 0)
        },
        Rule(otherwise: "BadExpirationDate") { request, now in
            request.headers["apns-expiration"].flatMap { Int64($0) }.map { $0 > now } ?? false
        },
        Rule(otherwise: "PayloadEmpty") { request, _ in !request.body.isEmpty },
        Rule(otherwise: "PayloadTooLarge") { request, _ in request.body.count <= payloadLimit },
    ]
}
