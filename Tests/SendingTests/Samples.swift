import Delivery
import Messages

extension Hint {
    /// A hint whose every field can be named by a test; times in epoch milliseconds.
    static func sample(
        entry: Identifier = .random(), seq: Int = 1, life: Int = 1, publishedAt: Int64 = 1_000_000,
        deadline: Int64 = 1_120_000,
        route: Route = Route(provider: .apns, environment: "production", app: "cheqi")
    ) -> Hint {
        Hint(
            entry: entry, seq: seq, life: life, publishedAt: publishedAt, deadline: deadline, job: .random(),
            documentType: .receipt, route: route, device: .random(),
            token: SealedToken(kind: .token, sealed: [1, 2, 3], key: "k1"),
            fingerprint: Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!, registeredAt: 900_000,
            expiresAt: 2_000_000)
    }
}
