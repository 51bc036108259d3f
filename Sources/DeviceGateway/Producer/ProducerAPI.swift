import Cryptography
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

/// Answers the calls of host backends. Each is safe to repeat.
struct ProducerAPI: Sendable {
    let store: GatewayStore
    let credentials: ProducerCredentials
    let ticketLifetime: Duration

    func answer(_ call: ProducerCall, _ request: Request) async throws(Problem) -> Response {
        let actor = "producer:" + (try credentials.authorize(request.headers["authorization"], for: call.scope))
        switch call {
        case .ticket(let account): return try await ticket(account)
        case .devices(let account): return try await devices(account)
        case .commit(let job): return try await commit(job, request)
        case .status(let job): return try await status(job)
        case .cancel(let job): return try await change("SELECT * FROM delivery.cancel_job(\(job), \(actor))", 202)
        case .cancelRange: return try await cancelRange(request, actor)
        case .eraseDevice(let device): return try await eraseDevice(device, actor)
        case .eraseAccount(let account): return try await eraseAccount(account, actor)
        case .revoke(let device):
            return try await change("SELECT * FROM delivery.revoke_device(\(device), \(actor))", 204)
        }
    }

    /// 256 random bits, of which only the digest is kept.
    private func ticket(_ account: String) async throws(Problem) -> Response {
        let ticket = Hex.encode(RandomBytes.make(32))
        let digest = Digest.sha256(Array(ticket.utf8))
        _ = try await store.query("SELECT delivery.issue_ticket(\(account), \(digest), \(ticketLifetime))")
        let body = JSONWriter.object {
            $0.member("ticket", ticket)
            $0.member("account", account)
            $0.member("expiresInSeconds", ticketLifetime.components.seconds)
        }
        return Response(
            status: 201, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
    }

    private func devices(_ account: String) async throws(Problem) -> Response {
        let rows = try await store.query(
            """
            SELECT a.device_set_version, d.device_id, d.key_id, d.public_key
              FROM delivery.account a
              LEFT JOIN LATERAL delivery.account_devices(a.account_id) d ON true
             WHERE a.account_id = \(account)
            """)
        guard let first = rows.first else { throw Problem(.unknownAccount) }
        let body = try GatewayStore.read { () throws(PostgresError) in
            let version = try first.get("device_set_version", as: Int64.self)
            var list: [(device: Identifier, keyID: String, key: [UInt8])] = []
            for row in rows {
                guard let device = try row.get("device_id", as: Identifier?.self) else { continue }
                list.append((device, try row["key_id"], try row["public_key"]))
            }
            return JSONWriter.object {
                $0.member("account", account)
                $0.member("deviceSetVersion", version)
                $0.key("devices")
                $0.array {
                    for entry in list {
                        $0.object {
                            $0.member("device", entry.device.description)
                            $0.member("keyId", entry.keyID)
                            $0.member("publicKey", base64: entry.key)
                        }
                    }
                }
            }
        }
        return .json(body)
    }

    private func status(_ job: Identifier) async throws(Problem) -> Response {
        let row = try await store.row(
            """
            SELECT (delivery.job_status(\(job)) || jsonb_build_object('timeline', delivery.job_timeline(\(job))))::text
                AS status
            """)
        let text = try GatewayStore.read { () throws(PostgresError) in try row.get("status", as: String?.self) }
        guard let text else { throw Problem(.notFound) }
        return .json(Array(text.utf8))
    }

    private func change(_ statement: Statement, _ success: UInt16) async throws(Problem) -> Response {
        let outcome = try Outcome(await store.row(statement))
        guard outcome.word == "cancelled" || outcome.word == "revoked" else { throw try outcome.problem() }
        return Response(status: success)
    }
}
