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
    private let fileCheck: Duration
    private let age: Gauge
    private var token: String?
    private var schedule = AccessTokenSchedule()
    private var lastFailure: TokenEndpointAnswer?
    private var fetching: Task<Void, Never>?
    /// What is wrong with the file now, if something is.
    private var complaint: String?

    /// `endpoint` replaces the address in the file, not the assertion's audience; `fileCheck` is how often the file is
    /// read again.
    init(
        file: String, endpoint: String?, client: HTTPClient.Client, timeout: Duration, fileCheck: Duration, age: Gauge
    ) throws(CommandFailure) {
        account = try ServiceAccount(file: file)
        self.file = file
        self.endpoint = endpoint
        self.client = client
        self.timeout = timeout
        self.fileCheck = fileCheck
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

    /// Reads the file again; an account that differs from the one in use is used from then on, and its token fetched while
    /// the old one still serves. A file that cannot be read leaves the account as it is, and says so once.
    func reload() {
        do throws(CommandFailure) {
            let read = try ServiceAccount(file: file)
            complaint = nil
            guard !read.isSame(as: account) else { return }
            account = read
            schedule.replaced()
            lastFailure = nil
            Log.info("another service account key was read", [.file: .string(file)])
        } catch {
            if complaint != error.line {
                Log.warning("service account not read again", [.cause: .string(error.line)])
            }
            complaint = error.line
        }
    }

    /// Before a probe: a token that failed to come is asked for again, whatever pause its failure began.
    func prepareProbe() {
        reload()
        if lastFailure != nil { schedule.refused() }
    }

    /// Fetches ahead of need, and looks at the file, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            reload()
            let due = schedule.dueAt(now: .now)
            if due <= .now {
                await fetch()
            } else {
                // Looked at again soon: a renewal in between moves the due time.
                try? await Task.sleep(until: min(due, .now + fileCheck), clock: .continuous)
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
    static let file: LogKey = "file"
}
