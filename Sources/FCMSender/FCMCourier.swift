public import Daemon
public import Delivery
import HTTP2
import HTTPClient
public import Messages
public import Sending

/// Speaks to FCM for every route of the apps file: one pool of connections and one access token for each service account
/// and project.
public final class FCMCourier: Courier {
    private struct Line: Sendable {
        let credential: String
        let tokens: AccessTokens
        let client: HTTP2.Client
        let template: FCMRequest
        let pacer: Pacer
    }

    /// Of every service account that the console hands out.
    private static let usualTokenEndpoint = "https://oauth2.googleapis.com/token"

    private let lines: [Route: Line]
    /// One of each credential.
    private let accounts: [AccessTokens]
    private let oauth: HTTPClient.Client
    private let clock: ProviderClock

    /// Throws one line that says what is wrong with a service account file or the trusted certificates.
    public init(_ configuration: Configuration, apps: AppsFile, routes: [Route], metrics: Metrics)
        throws(CommandFailure)
    {
        var transport = HTTPClient.Configuration(caFile: configuration.caFile)
        transport.proxy = configuration.proxy.address(for: configuration.tokenEndpoint ?? Self.usualTokenEndpoint)
        let oauth = HTTPClient.Client(transport)
        var lines: [Route: Line] = [:]
        var shared: [String: (tokens: AccessTokens, client: HTTP2.Client)] = [:]
        var pacers: [String: Pacer] = [:]
        for route in routes {
            guard let fcm = apps.app(named: route.app)?.fcm else { continue }
            let credential = "\(fcm.projectID) \(fcm.serviceAccountFile)"
            if shared[credential] == nil {
                let age = metrics.gauge(
                    "mobile_delivery_sender_credential_age_seconds", help: "Age of the access token in use.",
                    labels: ["credential": fcm.projectID])
                let tokens = try AccessTokens(
                    file: fcm.serviceAccountFile, endpoint: configuration.tokenEndpoint, client: oauth,
                    timeout: configuration.sending.requestTimeout,
                    fileCheck: configuration.sending.credentialCheck, age: age)
                let client = try HTTP2.Client.pool(
                    fcm.projectID, to: configuration.origin, configuration.client, through: configuration.proxy,
                    thread: "fcm", metrics: metrics)
                shared[credential] = (tokens, client)
            }
            guard let (tokens, client) = shared[credential] else { continue }
            // The quota is the project's, whichever account sends.
            let pacer =
                pacers[fcm.projectID] ?? Pacer(perSecond: configuration.perSecond, ramp: configuration.ramp)
            pacers[fcm.projectID] = pacer
            lines[route] = Line(
                credential: credential, tokens: tokens, client: client,
                template: FCMRequest(projectID: fcm.projectID), pacer: pacer)
        }
        self.lines = lines
        self.oauth = oauth
        accounts = shared.values.map(\.tokens)
        clock = ProviderClock(metrics, provider: "fcm")
    }

    public func send(_ hint: Hint, token: String, deadline: ContinuousClock.Instant) async -> Judgement {
        await send(hint, token, deadline, isDryRun: false)
    }

    /// FCM validates the message and sends nothing.
    public func rehearse(_ hint: Hint, token: String, deadline: ContinuousClock.Instant) async -> Rehearsal {
        Rehearsal(await send(hint, token, deadline, isDryRun: true))
    }

    private func send(
        _ hint: Hint, _ token: String, _ deadline: ContinuousClock.Instant, isDryRun: Bool
    ) async -> Judgement {
        guard let line = lines[hint.route] else {
            return Judgement(.pauseRoute(.route), reason: "no such route")
        }
        switch await line.tokens.current() {
        case .failure(let failure): return failure.answer.judgement
        case .success(let accessToken):
            let request = line.template.request(
                for: hint, token: token, accessToken: accessToken, now: Instant.now(), isDryRun: isDryRun)
            return await judge(line, request, deadline)
        }
    }

    public func probe(_ route: Route, deadline: ContinuousClock.Instant) async -> Judgement? {
        guard let line = lines[route] else { return nil }
        await line.tokens.prepareProbe()
        switch await line.tokens.current() {
        case .failure(let failure): return failure.answer.judgement
        case .success(let accessToken):
            let judgement = await judge(line, line.template.probe(accessToken: accessToken), deadline)
            switch judgement.verdict {
            case .accepted, .tokenSuspect, .tokenDead: return nil
            case .refreshCredentials:
                await line.tokens.renew()
                return judgement
            default: return judgement
            }
        }
    }

    public func renewCredential(of route: Route) async { await lines[route]?.tokens.renew() }

    /// FCM has no such limit.
    public func holdCredential(of route: Route) async {}

    public func reconnect(_ route: Route) async { await lines[route]?.client.retire() }

    public func credential(of route: Route) -> String { lines[route]?.credential ?? "" }

    public func pacer(of route: Route) -> Pacer? { lines[route]?.pacer }

    public func run() async {
        await withDiscardingTaskGroup { group in
            for account in accounts { group.addTask { await account.run() } }
        }
    }

    public func close() async {
        for line in lines.values { await line.client.close() }
        await oauth.close()
    }

    private func judge(_ line: Line, _ request: HTTP2.Request, _ deadline: ContinuousClock.Instant) async -> Judgement {
        let result = await line.client.send(request, deadline: deadline)
        guard case .answer(let response) = result else {
            return result.judgement ?? Judgement(.ambiguous, reason: "reset")
        }
        let now = Instant.now() / 1000
        clock.saw(date: response.headers["date"], now: now)
        return FCMAnswer(response, now: now).judgement
    }
}
