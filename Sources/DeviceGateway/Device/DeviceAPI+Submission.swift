import Cryptography
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    /// Of one recipient, in a part or in a submission.
    static let longestCiphertext = 262_144

    /// One recipient's ciphertext ahead of a submission that is too large for one request.
    func stagePart(
        _ device: Identifier, _ job: Identifier, _ epoch: Int64, _ recipient: String, _ request: Request
    ) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPIPart(decoding: bytes) }
        try Self.check(wish.ciphertext)
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.stage_part(\(device), \(job), \(epoch), \(wish.nonce), \(recipient),
                    \(wish.ciphertext), \(settings.lease.ttl), \(settings.lease.acceptLate))
                """))
        guard outcome.word == "staged" else { throw try outcome.problem() }
        return Response(status: 204)
    }

    func submit(
        _ device: Identifier, _ job: Identifier, _ epoch: Int64, _ request: Request
    ) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPISubmission(decoding: bytes) }
        for ciphertext in wish.ciphertexts.values { try Self.check(ciphertext) }
        guard try await digest(of: wish, job, epoch) == wish.digest else {
            return try await replay(device, job, epoch, wish)
        }
        let names = wish.ciphertexts.keys.sorted()
        let ciphertexts = names.map { wish.ciphertexts[$0] ?? [] }
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.submit_fanout(\(device), \(job), \(epoch), \(wish.nonce), \(wish.digest),
                    \(names), \(ciphertexts), \(settings.lease.ttl), \(settings.lease.acceptLate))
                """))
        switch outcome.word {
        case "accepted": return Response(status: 201)
        case "replayed": return Response(status: 200)
        default: throw try outcome.problem()
        }
    }

    /// Over what came in the request and what came ahead, which is read one by one: parts never change once they are
    /// there.
    private func digest(of wish: DeviceAPISubmission, _ job: Identifier, _ epoch: Int64) async throws(Problem)
        -> [UInt8]
    {
        let rows = try await store.query(
            "SELECT recipient FROM delivery.fanout_part WHERE job_id = \(job) AND epoch = \(epoch)")
        var names = Set(wish.ciphertexts.keys)
        for row in rows {
            names.insert(
                try GatewayStore.read { () throws(PostgresError) in try row.get("recipient", as: String.self) })
        }
        let digest = StreamingDigest()
        for name in DeviceAPISubmission.digestOrder(names) {
            let ciphertext: [UInt8]
            if let given = wish.ciphertexts[name] {
                ciphertext = given
            } else {
                ciphertext = try await part(job, epoch, name)
            }
            digest.update(DeviceAPISubmission.digestInput(of: ciphertext, for: name))
        }
        return digest.digest()
    }

    /// Empty if it is gone meanwhile: the digest says so.
    private func part(_ job: Identifier, _ epoch: Int64, _ recipient: String) async throws(Problem) -> [UInt8] {
        let rows = try await store.query(
            """
            SELECT ciphertext FROM delivery.fanout_part
             WHERE job_id = \(job) AND epoch = \(epoch) AND recipient = \(recipient)
            """)
        guard let row = rows.first else { return [] }
        return try GatewayStore.read { () throws(PostgresError) in try row.get("ciphertext", as: [UInt8].self) }
    }

    /// A submission whose parts are gone because it was accepted, or one with a wrong digest.
    private func replay(
        _ device: Identifier, _ job: Identifier, _ epoch: Int64, _ wish: DeviceAPISubmission
    ) async throws(Problem) -> Response {
        let outcome = try Outcome(
            await store.row(
                "SELECT * FROM delivery.check_submitted(\(device), \(job), \(epoch), \(wish.digest))"))
        if outcome.word == "replayed" { return Response(status: 200) }
        guard outcome.word == "mismatch" else { throw try outcome.problem() }
        throw Problem(.submissionMismatch, "digest is not that of the ciphertexts")
    }

    private static func check(_ ciphertext: [UInt8]) throws(Problem) {
        guard ciphertext.count <= longestCiphertext else {
            throw Problem(.tooLarge, "a ciphertext has at most \(longestCiphertext) bytes")
        }
    }
}
