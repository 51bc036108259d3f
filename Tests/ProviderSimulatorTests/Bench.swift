import FoundationEssentials
import HTTP2
import Synchronization
import TokenSigning

@testable import ProviderSimulator

/// A world with one team, one project and a phone of each kind, and requests that it accepts.
struct Bench {
    static let teamID = "TEAM000001"
    static let keyID = "KEY0000001"
    static let topic = "com.example.app"
    static let project = "project-one"
    static let email = "sender@project-one.iam.gserviceaccount.com"
    static let apnsToken = String(repeating: "ab", count: 32)
    static let fcmToken = "fcmRegistrationToken:APA91bExample"
    static let tokenAddress = "https://localhost:1/token"
    /// 2026-01-01, in seconds.
    static let start: Int64 = 1_767_225_600

    static let apnsKey = Result { () throws(TokenSigningError) in try PrivateKey.generate(.es256) }
    static let accountKey = Result { () throws(TokenSigningError) in try PrivateKey.generate(.rs256) }
    static let identity = Result { () throws(HTTP2Error) in try CertificateAuthority().issue() }

    var world: World
    var now = Bench.start
    private var random = SystemRandomNumberGenerator()

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        var configuration = SimulatorConfiguration(identity: try Self.identity.get())
        configuration.apnsKeys = [
            APNSKey(
                teamID: Self.teamID, keyID: Self.keyID, publicKey: try Self.apnsKey.get().publicKey,
                topics: [Self.topic, "com.example.other"])
        ]
        configuration.fcmProjects = [
            FCMProject(
                projectID: Self.project, clientEmail: Self.email, publicKey: try Self.accountKey.get().publicKey)
        ]
        configuration.devices = [
            Device(token: Self.apnsToken, provider: "apns", app: Self.topic, environment: "production"),
            Device(token: Self.fcmToken, provider: "fcm", app: Self.project),
        ]
        change(&configuration)
        world = World(configuration)
        world.tokenAddress = Self.tokenAddress
    }

    mutating func treat(_ request: ProviderRequest) -> Treatment {
        world.treat(request, now: now * 1000, random: &random)
    }

    // MARK: APNs

    static func providerToken(
        team: String = teamID, key: String = keyID, issuedAt: Int64 = start, with signer: PrivateKey? = nil
    ) throws -> String {
        try JSONWebToken.signed(
            ProviderTokenClaims(teamID: team, issuedAt: Int(issuedAt)), keyID: key,
            with: try signer ?? apnsKey.get())
    }

    private static let shared = Mutex<[Int64: String]>([:])

    /// The same text for the same time, as ES256 signatures differ and APNs counts changes.
    static func sharedToken(issuedAt: Int64) throws -> String {
        try shared.withLock { tokens in
            if let token = tokens[issuedAt] { return token }
            let token = try providerToken(issuedAt: issuedAt)
            tokens[issuedAt] = token
            return token
        }
    }

    /// The headers of a good hint; nil takes one away.
    static func apns(
        _ changes: [String: String?] = [:], token: String = apnsToken, environment: String = "production",
        path: String? = nil, method: String = "POST", connection: Int = 1, body: String = #"{"aps":{"alert":"x"}}"#
    ) throws -> ProviderRequest {
        var fields: [(String, String)] = [
            ("authorization", "bearer \(try sharedToken(issuedAt: start))"), ("apns-topic", topic),
            ("apns-push-type", "alert"),
            ("apns-priority", "10"), ("apns-id", "6f9619ff-8b86-4011-b42d-00c04fc964ff"),
            ("apns-expiration", "\(start + 3600)"), ("apns-collapse-id", "job"),
        ]
        for (name, value) in changes {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        return ProviderRequest(
            service: .apns(environment: environment), connection: connection, method: method,
            path: path ?? "/3/device/\(token)", fields: Headers(fields.map { HeaderField($0.0, $0.1) }),
            body: Array(body.utf8))
    }

    // MARK: FCM

    static func assertion(
        email: String = email, audience: String = tokenAddress,
        scope: String = ServiceAccountClaims.messagingScope, issuedAt: Int64 = start, lifetime: Int = 3600,
        with signer: PrivateKey? = nil
    ) throws -> String {
        var claims = ServiceAccountClaims(
            clientEmail: email, scope: scope, audience: audience, issuedAt: Int(issuedAt))
        claims.exp = Int(issuedAt) + lifetime
        return try JSONWebToken.signed(claims, keyID: "k", type: "JWT", with: try signer ?? accountKey.get())
    }

    static func oauth(
        _ assertion: String, grant: String = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
    ) -> ProviderRequest {
        ProviderRequest(
            service: .oauth, method: "POST", path: "/token",
            body: Array("grant_type=\(grant)&assertion=\(assertion)".utf8))
    }

    mutating func accessToken() throws -> String {
        let answer = treat(Self.oauth(try Self.assertion())).answer
        return JSONValue(parsing: answer.body)?["access_token"]?.string ?? ""
    }

    static let hint =
        #"{"message":{"token":"\#(fcmToken)","data":{"a":"1"},"android":{"priority":"HIGH","ttl":"60s"}}}"#

    static func fcm(_ body: String = hint, access: String, project: String = project, path: String? = nil)
        -> ProviderRequest
    {
        ProviderRequest(
            service: .fcm, method: "POST", path: path ?? "/v1/projects/\(project)/messages:send",
            fields: ["authorization": "Bearer \(access)"], body: Array(body.utf8))
    }
}

extension ProviderRequest {
    /// One that never travelled.
    init(
        service: ProviderService, connection: Int = 1, method: String, path: String, fields: Headers = [:],
        body: [UInt8] = []
    ) {
        let all = Headers([HeaderField(":method", method), HeaderField(":path", path)] + fields)
        self.init(
            ReceivedRequest(connection: connection, stream: 1, fields: all, body: body),
            service: service)
    }
}

extension ProviderAnswer {
    var json: JSONValue { JSONValue(parsing: body) ?? .null }
}
