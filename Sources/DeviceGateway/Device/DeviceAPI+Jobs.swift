import Cryptography
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    /// Changes nothing: a fetch is no claim, so prefetching and repeating are harmless.
    func fetch(_ device: Identifier, _ job: Identifier, _ request: Request) async throws(Problem) -> Response {
        let outcome = try Outcome(await store.row("SELECT * FROM delivery.fetch_job(\(device), \(job))"))
        guard outcome.word == "ok" else { throw try outcome.problem() }
        let body = try document(job, outcome).encoded()
        let tag = "\"\(Hex.encode(Digest.blake2b(body).prefix(12)))\""
        if EntityTag.matches(request, tag) { return EntityTag.notModified(tag) }
        return Response(
            status: 200, headers: ["Content-Type": "application/json", "ETag": tag, "Cache-Control": "no-store"],
            body: body)
    }

    private func document(_ job: Identifier, _ outcome: Outcome) throws(Problem) -> DeviceAPIJob {
        let committed = try outcome.get("committed_at", as: Timestamp.self)
        let expires = try outcome.get("expires_at", as: Timestamp.self)
        return DeviceAPIJob(
            job: job, documentType: try outcome.word("document_type"), state: try outcome.word("state"),
            fanout: try outcome.word("fanout"), bodyFormat: Int(try outcome.get("body_format", as: Int16.self)),
            body: try outcome.get("body"), bodyDigest: try outcome.get("body_digest"),
            commitment: try outcome.get("commitment"), signature: try outcome.get("signature"),
            signingKeyID: try outcome.get("signing_key_id"), keyID: try outcome.get("key_id"),
            sealedKey: try outcome.get("sealed_key"), recipients: try outcome.get("recipients"),
            committedAt: committed.milliseconds, expiresAt: expires.milliseconds,
            pendingOthers: Int(try outcome.get("pending_others", as: Int64.self)))
    }

    func claim(_ device: Identifier, _ job: Identifier) async throws(Problem) -> Response {
        let outcome = try Outcome(await store.row("SELECT * FROM delivery.claim_job(\(device), \(job))"))
        guard outcome.word == "ok" else { throw try outcome.problem() }
        let claimed = try outcome.get("claimed_at", as: Timestamp.self)
        let claim = DeviceAPIClaim(
            state: try outcome.word("state"), claimedAt: claimed.milliseconds, fanout: try outcome.word("fanout"))
        return .json(claim.encoded())
    }
}

extension Outcome {
    /// A column that holds one word of an enumeration.
    func word<Word: RawRepresentable<String>>(_ column: String) throws(Problem) -> Word {
        guard let word = Word(rawValue: try get(column)) else { throw Problem(.internalError) }
        return word
    }
}
