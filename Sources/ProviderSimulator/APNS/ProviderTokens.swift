import HTTP2
import TokenSigning

/// Judges APNs provider tokens: who signed, for whom, how old, and whether the connection may use them.
struct ProviderTokens: Sendable {
    /// A connection to one of the two environments.
    struct Connection: Hashable {
        var number: Int
        var environment: String
    }

    /// What a connection is bound to by the first token accepted on it.
    private struct Binding: Sendable {
        var authorization: String
        var known: Known
        /// When this token was first seen on the connection.
        var since: Int64
    }

    private struct Known: Sendable {
        var key: APNSKey
        var issuedAt: Int64
    }

    static let lifetime: Int64 = 3600
    /// How far an `iat` may lie ahead of our clock.
    static let tolerance: Int64 = 600

    private let keys: [APNSKey]
    /// Least time between two changes of token on one connection.
    private let floor: Int64
    /// Tokens whose signature was found good; verifying each request would be most of the work.
    private var verified: [String: Known] = [:]
    private var bindings: [Connection: Binding] = [:]

    init(keys: [APNSKey], floorSeconds: Int64) {
        self.keys = keys
        floor = floorSeconds
    }

    enum Judgement: Equatable {
        /// `isFirst`: nothing was accepted on this connection before.
        case accepted(topics: [String]?, isFirst: Bool)
        case refused(APNSReason)
    }

    mutating func judge(authorization: FieldText?, connection: Connection, now: Int64) -> Judgement {
        guard let shown = authorization else { return .refused(.missingProviderToken) }
        // Nearly every request: the token that the connection is bound to.
        if let binding = bindings[connection], shown == binding.authorization {
            let isFresh = now - binding.known.issuedAt <= Self.lifetime
            return isFresh
                ? .accepted(topics: binding.known.key.topics, isFirst: false) : .refused(.expiredProviderToken)
        }
        let authorization = shown.text
        guard authorization.prefix(7).lowercased() == "bearer " else { return .refused(.missingProviderToken) }
        guard let known = known(String(authorization.dropFirst(7))) else { return .refused(.invalidProviderToken) }
        if known.issuedAt > now + Self.tolerance { return .refused(.invalidProviderToken) }
        if now - known.issuedAt > Self.lifetime { return .refused(.expiredProviderToken) }
        let key = known.key
        guard key.environments.contains(connection.environment) else { return .refused(.badEnvironmentKeyInToken) }
        let binding = bindings[connection]
        if let binding {
            let bound = binding.known.key
            guard bound.teamID == key.teamID else { return .refused(.forbidden) }
            guard bound.keyID == key.keyID else { return .refused(.unrelatedKeyIDInToken) }
            guard now - binding.since >= floor else { return .refused(.tooManyProviderTokenUpdates) }
        } else if bindings.count >= 10_000 {
            forgetOldest()
        }
        bindings[connection] = Binding(authorization: authorization, known: known, since: now)
        return .accepted(topics: key.topics, isFirst: binding == nil)
    }

    /// Connections are numbered in the order in which they came: those with low numbers are gone.
    private mutating func forgetOldest() {
        for connection in bindings.keys.sorted(by: { $0.number < $1.number }).prefix(5000) {
            bindings[connection] = nil
        }
    }

    private mutating func known(_ token: String) -> Known? {
        if let known = verified[token] { return known }
        guard let keyID = JSONWebToken.unverifiedKeyID(of: token), let key = keys.first(where: { $0.keyID == keyID }),
            let claims = try? JSONWebToken.verified(token, with: key.publicKey).claims,
            let content = JSONValue(parsing: claims), content["iss"]?.string == key.teamID,
            // A number by the book; APNs takes digits in a string, too, and some libraries write those.
            let issuedAt = content["iat"]?.integer ?? content["iat"]?.string.flatMap({ Int64($0) })
        else { return nil }
        if verified.count > 1000 { verified.removeAll() }
        let known = Known(key: key, issuedAt: issuedAt)
        verified[token] = known
        return known
    }
}
