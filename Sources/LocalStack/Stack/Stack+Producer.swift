public import Daemon
public import DeviceFleet
import HTTPClient
public import Messages

/// What a host backend asks the producer API for.
extension Stack {
    /// The key with which this stack's jobs are signed; made if there is none yet.
    public nonisolated func authorKey() throws(CommandFailure) -> AuthorKey {
        try AuthorKey.loadOrMake(StackSetup(site).producerKeyFile)
    }

    /// The bearer token of the lab at the producer API.
    public nonisolated func producerToken() throws(CommandFailure) -> String {
        try SettingsFile.text(StackSetup(site).producerTokenFile)
    }

    /// A one-time ticket to enrol a device of the account.
    public nonisolated func ticket(account: String) async throws -> String {
        let answer = try await ask("POST", "/v1/producer/accounts/\(account)/enrolment-tickets")
        return try JSONReader(answer).string("ticket")
    }

    /// All that is known of a job.
    public nonisolated func status(of job: String) async throws -> JSONValue {
        try JSONValue(parsing: try await ask("GET", "/v1/producer/jobs/\(job)"))
    }

    private nonisolated func ask(_ method: String, _ path: String) async throws -> [UInt8] {
        let token = try producerToken()
        let client = Client()
        let result: Result<HTTPClient.Response, HTTPClientError>
        do throws(HTTPClientError) {
            result = .success(
                try await client.send(
                    HTTPClient.Request(method, gatewayURL + path, headers: [.bearer(token)])))
        } catch {
            result = .failure(error)
        }
        await client.close()
        let answer = try result.get()
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(.protocolError, "the gateway answered \(method) \(path) with \(answer.status)")
        }
        return answer.body
    }
}
