import Delivery
import LocalStack
import Messages

/// What the providers were asked since a campaign began. The simulator forgets old requests, so whoever lets it have many
/// collects now and then.
actor ProviderRequests {
    struct Request: Sendable {
        /// What it was about.
        enum Subject: Sendable {
            /// APNs is told the entry.
            case entry(Identifier)
            /// FCM only the job and the token.
            case message(job: String, token: String)
        }

        let subject: Subject
        let status: Int
    }

    private let control: ProviderControl
    private var seen: Int
    private(set) var all: [Request] = []

    init(_ control: ProviderControl, after seen: Int) {
        self.control = control
        self.seen = seen
    }

    /// Takes what came since the last time; requests for credentials are no hints and left out.
    func collect() async throws {
        let (requests, last) = try await control.requests(after: seen)
        guard last > seen else { return }
        seen = last
        all += requests.compactMap { request in
            Self.subject(request).map { Request(subject: $0, status: request.status) }
        }
    }

    private static func subject(_ request: ProviderControl.Request) -> Request.Subject? {
        if let id = request.field("apns-id") { return Identifier(id).map(Request.Subject.entry) }
        guard request.path.hasSuffix("/messages:send"), let body = try? JSONValue(parsing: request.body),
            let token = body["message"]?["token"]?.string, let job = body["message"]?["data"]?["jobId"]?.string
        else { return nil }
        return .message(job: job, token: token)
    }
}
