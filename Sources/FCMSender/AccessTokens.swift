import Daemon
import Delivery
import HTTPClient
import TokenSigning

/// The access token of one service account: fetched once for all callers, again at two thirds of its life, and used on
/// while the endpoint fails.
actor AccessTokens {
    private var account: ServiceAccount
    private let file: String
    private let endpoint: String?
    private let client: HTTPClient.Client
    private let timeout: Duration
    private let age: Gauge
    private var token: String?
    private var schedule = AccessTokenSchedule()
    private var lastFailure: TokenEndpointAnswer?
    private var fetching: Task<Void, Never>?

    /// `endpoint` replaces the address in the file, not the assertion's audience.
    init(file: String, endpoint: String?, client: HTTPClient.Client, timeout: Duration, age: Gauge)
        throws(CommandFailure)
    {
        account = try ServiceAccount(file: file)
        self.file = file
        self.endpoint = endpoint
        self.client = client
        self.timeout = timeout
        self.age = age
    }

    /// The token to send now, or why there is none.
    func current() async -> Result<String, TokenEndpointFailure> {
        if !schedule.isUsable(now: .now), !schedule.isWaiting(now: .now) { await fetch() }
        if let token, schedule.isUsable(now: .now) { return .success(token) }
        return .failure(
            TokenEndpointFailure(answer: lastFailure ?? .temporary("token endpoint: no access token yet")))
    }

    /// The provider refused `used`: fetches another, unless that has been done since.
    func renew() async {
        if let age = schedule.age(now: .now), age < .seconds(10) { return }
        schedule.refused()
        await fetch()
    }

    /// Reads the file again, so that a mended one ends a pause.
    func reload() {
        do throws(CommandFailure) {
            account = try ServiceAccount(file: file)
        } catch {
            Log.warning("service account not read again", [.cause: .string(error.line)])
        }
        if lastFailure != nil { schedule.refused() }
    }

    /// Fetches ahead of need until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let due = schedule.dueAt(now: .now)
            if due <= .now {
                await fetch()
            } else {
                // Looked at again within the minute: a renewal in between moves the due time.
                try? await Task.sleep(until: min(due, .now + .seconds(60)), clock: .continuous)
            }
            age.set(Double(schedule.age(now: .now)?.components.seconds ?? 0))
        }
    }

    /// One request at a time; who comes meanwhile waits for it.
    private func fetch() async {
        if let fetching { return await fetching.value }
        let task = Task { await exchange() }
        fetching = task
        await task.value
        fetching = nil
    }

    private func exchange() async {
        let answer = await ask()
        switch answer {
        case .token(let text, let seconds):
            token = text
            lastFailure = nil
            schedule.fetched(now: .now, life: .seconds(seconds))
        case .temporary(let reason), .refused(_, let reason):
            lastFailure = answer
            schedule.failed(now: .now, jitter: .random(in: 0...1))
            Log.warning(
                "no new access token", [.cause: .string(reason), .endpoint: .string(endpoint ?? account.tokenURI)])
        }
    }

    private func ask() async -> TokenEndpointAnswer {
        let now = Int(Instant.now() / 1000)
        let claims = ServiceAccountClaims(
            clientEmail: account.clientEmail, audience: account.tokenURI, issuedAt: now)
        let assertion: String
        do throws(TokenSigningError) {
            assertion = try JSONWebToken.signed(claims, keyID: account.keyID, type: "JWT", with: account.key)
        } catch {
            return .refused(status: 0, reason: error.description)
        }
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        let request = HTTPClient.Request(
            "POST", endpoint ?? account.tokenURI,
            headers: [Header("Content-Type", "application/x-www-form-urlencoded")], body: Array(form.utf8),
            timeout: timeout)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            return TokenEndpointAnswer(status: response.status, body: response.body)
        } catch {
            return .temporary("token endpoint: \(error)")
        }
    }
}

/// Why there is no access token.
struct TokenEndpointFailure: Error, Equatable {
    let answer: TokenEndpointAnswer
}

extension LogKey {
    static let endpoint: LogKey = "endpoint"
}
