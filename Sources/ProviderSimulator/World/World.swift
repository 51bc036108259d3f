import HTTP2

/// Everything that the simulated providers know, and every decision they take. Pure: time and chance are arguments.
struct World: Sendable {
    var devices = DeviceTable()
    var script: Script
    /// What assertions name as their audience.
    var tokenAddress = ""
    var providerTokens: ProviderTokens
    var accessTokens: AccessTokens
    var quotas: QuotaLedger
    let projects: [FCMProject]
    private var date = (seconds: Int64(0), text: "")

    init(_ configuration: SimulatorConfiguration) {
        script = configuration.script
        providerTokens = ProviderTokens(
            keys: configuration.apnsKeys, floorSeconds: configuration.providerTokenFloorSeconds)
        accessTokens = AccessTokens(
            projects: configuration.fcmProjects, lifetimeSeconds: configuration.accessTokenSeconds)
        quotas = QuotaLedger(configuration.quotas)
        projects = configuration.fcmProjects
        for device in configuration.devices { _ = devices.register(device, now: 0) }
    }

    /// `now` in epoch milliseconds.
    mutating func treat(
        _ request: ProviderRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        var treatment =
            switch request.service {
            case .apns(let environment): treatAPNS(request, environment, now: now, random: &random)
            case .fcm: treatFCM(request, now: now, random: &random)
            case .oauth: treatOAuth(request, now: now, random: &random)
            }
        if let delay = treatment.action?.delay { treatment.delayMilliseconds = script.draw(delay) }
        treatment.answer.headers.append("date", httpDate(now / 1000))
        return treatment
    }

    private mutating func httpDate(_ seconds: Int64) -> String {
        if date.seconds != seconds { date = (seconds, WallClock.httpDate(seconds)) }
        return date.text
    }

    /// What the script says to a request for `token`, and what that changes here.
    mutating func action(_ request: ProviderRequest, token: String?) -> Action? {
        guard !script.rules.isEmpty else { return nil }
        let action = script.action(for: request, token: token)
        if let since = action?.expire, let token { devices.setState(token, .unregistered(since)) }
        if action?.revokeAccessTokens == true { accessTokens.revokeAll() }
        return action
    }

    // MARK: Chance

    static func hex(_ count: Int, _ random: inout some RandomNumberGenerator) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: (0..<count).map { _ in digits[Int.random(in: 0..<16, using: &random)] }, as: UTF8.self)
    }

    static func uuid(_ random: inout some RandomNumberGenerator) -> String {
        var text = hex(32, &random)
        for offset in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
        return text
    }
}

/// What the honest judgement of a request comes to.
enum Verdict<Content, Refusal> {
    case accepted(Content)
    case refused(Refusal)
}
