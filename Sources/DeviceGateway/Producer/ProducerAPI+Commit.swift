import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension ProducerAPI {
    /// 202 only after the transaction has committed; the same job again is 202 again.
    func commit(_ job: Identifier, _ request: Request) async throws(Problem) -> Response {
        let wish = try JSONBody.read(request) { (bytes) throws(MessageError) in try CommitBody(decoding: bytes) }
        let row = try await store.row(
            """
            SELECT * FROM delivery.commit_job_over_http(\(job), \(wish.account), \(wish.documentType), \(wish.body),
                \(wish.bodyFormat), \(wish.bodyDigest), \(wish.commitment), \(wish.signature), \(wish.signingKeyID),
                \(wish.deviceSetVersion), \(wish.sealedKeys.map(\.device)), \(wish.sealedKeys.map(\.keyID)),
                \(wish.sealedKeys.map(\.sealed)), \(wish.recipients), \(wish.lifetime), \(wish.traceparent as String?))
            """)
        let refusal = try GatewayStore.read { () throws(PostgresError) in
            (
                state: try row.get("state", as: String?.self), message: try row.get("message", as: String?.self),
                detail: try row.get("detail", as: String?.self)
            )
        }
        guard let state = refusal.state else { return Response(status: 202) }
        throw Self.problem(state, refusal.message, refusal.detail)
    }

    /// SQLSTATEs of `delivery.commit_job`.
    static func problem(_ state: String, _ message: String?, _ detail: String?) -> Problem {
        switch state {
        case "MD001": return Problem(.jobConflict)
        case "MD002":
            var problem = Problem(.staleDeviceSet)
            if let detail, let set = try? JSONValue(parsing: Array(detail.utf8)) {
                problem.members.append(Problem.Member(name: "deviceSet", value: set))
            }
            return problem
        case "MD004": return Problem(.tooLarge, message)
        case "MD007": return Problem(.unknownAccount)
        case "MD010": return Problem(.noActiveDevice)
        default: return Problem(.invalidJob, message)
        }
    }
}
