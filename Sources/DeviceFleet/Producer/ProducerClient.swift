import Daemon
import HTTPClient
import Messages

/// The part of the producer API that phones need somebody to call for them.
struct ProducerClient: Sendable {
    let gateway: String
    let token: String
    let client: Client

    /// A one-time ticket to enrol a device of the account.
    func ticket(account: String) async throws -> String {
        let base = gateway.hasSuffix("/") ? String(gateway.dropLast()) : gateway
        let answer = try await client.send(
            Request("POST", "\(base)/v1/producer/accounts/\(account)/enrolment-tickets", headers: [.bearer(token)]))
        switch answer.status {
        case 201: return try JSONReader(answer.body).string("ticket")
        case 401, 403:
            throw CommandFailure(
                .noPermission, "the gateway refuses the producer token (\(answer.status)); it needs the scope \"enrol\""
            )
        default: throw ProducerClientError(status: answer.status)
        }
    }
}

/// An answer that another attempt may mend.
struct ProducerClientError: Error, CustomStringConvertible {
    var status: Int
    var description: String { "the ticket call was answered \(status)" }
}
