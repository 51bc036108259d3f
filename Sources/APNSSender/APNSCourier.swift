import Cryptography
public import Daemon
public import Delivery
import HTTP2
public import Messages
public import Sending

/// Speaks to APNs for every route of the apps file: one pool of connections and one provider token for each team, key and
/// environment.
public final class APNSCourier: Courier {
    private struct Line: Sendable {
        let credential: String
        let tokens: ProviderTokens
        let client: HTTP2.Client
        let template: APNSRequest
    }

    private let lines: [Route: Line]
    private let credentialCheck: Duration
    private let clock: ProviderClock

    /// Throws one line that says what is wrong with a key file or the trusted certificates.
    public init(_ configuration: Configuration, apps: AppsFile, routes: [Route], metrics: Metrics)
        throws(CommandFailure)
    {
        var lines: [Route: Line] = [:]
        var shared: [String: (tokens: ProviderTokens, client: HTTP2.Client)] = [:]
        for route in routes {
            guard let apns = apps.app(named: route.app)?.apns else { continue }
            let credential = "\(apns.teamID)/\(apns.keyID)/\(route.environment)"
            if shared[credential] == nil {
                let tokens = try ProviderTokens(teamID: apns.teamID, keyID: apns.keyID, keyFile: apns.keyFile)
                let origin = route.environment == "sandbox" ? configuration.sandbox : configuration.production
                let client = try HTTP2.Client.pool(
                    credential, to: origin, configuration.client, through: configuration.proxy, thread: "apns",
                    metrics: metrics)
                shared[credential] = (tokens, client)
                metrics.gauge(
                    "mobile_delivery_sender_credential_age_seconds", help: "Age of the provider token in use.",
                    labels: ["credential": credential]
                ) { Double(tokens.age?.components.seconds ?? 0) }
            }
            guard let (tokens, client) = shared[credential] else { continue }
            lines[route] = Line(
                credential: credential, tokens: tokens, client: client, template: APNSRequest(apns))
        }
        self.lines = lines
        credentialCheck = configuration.sending.credentialCheck
        clock = ProviderClock(metrics, provider: "apns")
    }

    public func send(_ hint: Hint, token: String, deadline: ContinuousClock.Instant) async -> Judgement {
        guard let line = lines[hint.route], let providerToken = line.tokens.token() else {
            return Judgement(.pauseRoute(.credential), reason: "no provider token")
        }
        guard
            let request = line.template.request(
                for: hint, token: token, providerToken: providerToken, now: Instant.now())
        else {
            // What APNs would say to it, without letting it into a path.
            return Judgement(.tokenSuspect, reason: "BadDeviceToken")
        }
        return await judge(line, request, deadline)
    }

    /// APNs can't only validate: the request is built and held against W1.
    public func rehearse(_ hint: Hint, token: String, deadline: ContinuousClock.Instant) async -> Rehearsal {
        guard let line = lines[hint.route], let providerToken = line.tokens.token() else {
            return .unfit("no provider token")
        }
        let now = Instant.now()
        guard
            let request = line.template.request(for: hint, token: token, providerToken: providerToken, now: now)
        else { return .unfit("BadDeviceToken") }
        return APNSRequestCheck(request, now: now / 1000).fault.map { .unfit($0) } ?? .fit
    }

    public func probe(_ route: Route, deadline: ContinuousClock.Instant) async -> Judgement? {
        guard let line = lines[route] else { return nil }
        line.tokens.reload()
        guard let providerToken = line.tokens.token() else {
            return Judgement(.pauseRoute(.credential), reason: "no provider token")
        }
        let nobody = Hex.encode(RandomBytes.make(32))
        var judgement = await judge(line, line.template.probe(token: nobody, providerToken: providerToken), deadline)
        if judgement.verdict == .refreshCredentials {
            line.tokens.renew()
            let renewed = line.tokens.token() ?? providerToken
            judgement = await judge(line, line.template.probe(token: nobody, providerToken: renewed), deadline)
        }
        if case .accepted = judgement.verdict { return nil }
        return judgement.reason == "BadDeviceToken" ? nil : judgement
    }

    public func renewCredential(of route: Route) async { lines[route]?.tokens.renew() }

    public func holdCredential(of route: Route) async { lines[route]?.tokens.hold() }

    public func reconnect(_ route: Route) async { await lines[route]?.client.retire() }

    public func credential(of route: Route) -> String { lines[route]?.credential ?? "" }

    /// Apple names no rate.
    public func pacer(of route: Route) -> Pacer? { nil }

    /// Provider tokens are made by the request that needs one; keys are read again when their files change.
    public func run() async {
        while (try? await Task.sleep(for: credentialCheck)) != nil {
            for line in lines.values where line.tokens.reload() { await line.client.retire() }
        }
    }

    public func close() async {
        for line in lines.values { await line.client.close() }
    }

    private func judge(_ line: Line, _ request: HTTP2.Request, _ deadline: ContinuousClock.Instant) async -> Judgement {
        let result = await line.client.send(request, deadline: deadline)
        guard case .answer(let response) = result else {
            return result.judgement ?? Judgement(.ambiguous, reason: "reset")
        }
        let now = Instant.now() / 1000
        clock.saw(date: response.headers["date"], now: now)
        return APNSAnswer(response, now: now).judgement
    }
}

extension APNSRequest {
    init(_ app: AppsFile.APNS) {
        var alerts: [DocumentType: APNSPayload.Alert] = [:]
        for type in DocumentType.allCases {
            alerts[type] = app.localization[type.rawValue].map {
                APNSPayload.Alert(titleKey: $0.title, bodyKey: $0.body)
            }
        }
        self.init(topic: app.bundleID, category: app.category, alerts: alerts)
    }
}
