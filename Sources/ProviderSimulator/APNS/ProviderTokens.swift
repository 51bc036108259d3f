import TokenSigning

/// Judges APNs provider tokens: who signed, for whom, how old, and whether the connection may use them.
struct ProviderTokens: Sendable {
    /// What a connection is bound to by the first token accepted on it.
    struct Binding: Sendable {
        var token: String
        var teamID: String
        var keyID: String
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
    private var bindings: [String: Binding] = [:]

    init(keys: [APNSKey], floorSeconds: Int64) {
        self.keys = keys
        floor = floorSeconds
    }

    enum Judgement: Equatable {
        /// `isFirst`: nothing was accepted on this connection before.
        case accepted(topics: [String]?, isFirst: Bool)
        case refused(APNSReason)
    }

    mutating func judge(
        authorization: String?, connection: String, environment: String, now: Int64
    ) -> Judgement {
        guard let authorization, authorization.lowercased().hasPrefix("bearer ") else {
            return .refused(.missingProviderToken)
        }
        let token = String(authorization.dropFirst(7))
        guard let known = known(token) else { return .refused(.invalidProviderToken) }
        if known.issuedAt > now + Self.tolerance { return .refused(.invalidProviderToken) }
        if now - known.issuedAt > Self.lifetime { return .refused(.expiredProviderToken) }
        guard known.key.environments.contains(environment) else { return .refused(.badEnvironmentKeyInToken) }
        let key = known.key
        guard let binding = bindings[connection] else {
            if bindings.count > 10_000 { bindings.removeAll() }
            bindings[connection] = Binding(token: token, teamID: key.teamID, keyID: key.keyID, since: now)
            return .accepted(topics: key.topics, isFirst: true)
        }
        guard binding.teamID == key.teamID, binding.keyID == key.keyID else {
            return .refused(.unrelatedKeyIDInToken)
        }
        if binding.token != token {
            guard now - binding.since >= floor else { return .refused(.tooManyProviderTokenUpdates) }
            bindings[connection] = Binding(token: token, teamID: key.teamID, keyID: key.keyID, since: now)
        }
        return .accepted(topics: key.topics, isFirst: false)
    }

    private mutating func known(_ token: String) -> Known? {
        if let known = verified[token] { return known }
        guard let keyID = JSONWebToken.unverifiedKeyID(of: token), let key = keys.first(where: { $0.keyID == keyID }),
            let claims = try? JSONWebToken.verified(token, with: key.publicKey).claims,
            let content = JSONValue(parsing: claims), content["iss"]?.string == key.teamID,
            let issuedAt = content["iat"]?.integer
        else { return nil }
        if verified.count > 1000 { verified.removeAll() }
        let known = Known(key: key, issuedAt: issuedAt)
        verified[token] = known
        return known
    }
}
