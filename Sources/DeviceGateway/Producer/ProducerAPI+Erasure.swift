import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

/// What a call changes at most, so that each is short and holds its locks for moments; callers repeat it.
private let jobsOfACall: Int32 = 500

extension ProducerAPI {
    /// Jobs that one author's key signed, by the time of their commit.
    func cancelRange(_ request: Request, _ actor: String) async throws(Problem) -> Response {
        let wish = try JSONBody.read(request) { (bytes) throws(MessageError) in try CancelRangeBody(decoding: bytes) }
        let row = try await store.row(
            """
            SELECT * FROM delivery.cancel_jobs(\(wish.signingKeyID), \(Timestamp(milliseconds: wish.from)),
                \(Timestamp(milliseconds: wish.until)), \(wish.account as String?), \(jobsOfACall), \(actor))
            """)
        let body = try GatewayStore.read { () throws(PostgresError) in
            let cancelled = try row.get("cancelled", as: Int32.self)
            let more = try row.get("more", as: Bool.self)
            return JSONWriter.object {
                $0.member("cancelled", Int(cancelled))
                $0.member("more", more)
            }
        }
        return .json(body)
    }

    func eraseDevice(_ device: Identifier, _ actor: String) async throws(Problem) -> Response {
        let outcome = try Outcome(await store.row("SELECT * FROM delivery.erase_device(\(device), \(actor))"))
        guard outcome.word == "erased" else { throw try outcome.problem() }
        return Self.erased(leftOver: try outcome.get("left_over"))
    }

    func eraseAccount(_ account: String, _ actor: String) async throws(Problem) -> Response {
        let row = try await store.row(
            "SELECT delivery.erase_account(\(account), \(jobsOfACall), \(actor)) AS left_over")
        return Self.erased(
            leftOver: try GatewayStore.read { () throws(PostgresError) in try row.get("left_over", as: Int64.self) })
    }

    private static func erased(leftOver: Int64) -> Response {
        guard leftOver > 0 else { return Response(status: 204) }
        var response = Response.json(JSONWriter.object { $0.member("underWay", leftOver) }, status: 202)
        response.headers.add("Retry-After", "1")
        return response
    }
}

/// Body of `POST /v1/producer/jobs/cancel`.
private struct CancelRangeBody {
    var signingKeyID: String
    /// Epoch milliseconds.
    var from: Int64
    /// Not included.
    var until: Int64
    var account: String?

    init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        signingKeyID = try reader.string("signingKeyId")
        from = try reader.integer("from")
        until = try reader.integer("until")
        account = try reader.optionalString("account")
        // Until 2100.
        let known: ClosedRange<Int64> = 0...4_102_444_800_000
        guard known.contains(from), known.contains(until), from <= until else { throw .malformed("from or until") }
        guard Naming.isKeyID(signingKeyID) else { throw .malformed("signingKeyId") }
        if let account, !Naming.isAccount(account) { throw .malformed("account") }
    }
}
