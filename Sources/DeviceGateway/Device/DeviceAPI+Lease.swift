import Cryptography
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    func acquire(_ device: Identifier, _ job: Identifier, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPILeaseRequest(decoding: bytes) }
        let lease = settings.lease
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.acquire_lease(\(device), \(job), \(wish.attemptID), \(lease.ttl),
                    \(lease.hardDeadline), \(lease.coolDown), \(lease.coolDownCap))
                """))
        switch outcome.word {
        case "granted":
            let grant = DeviceAPILease(
                epoch: try outcome.get("epoch"), nonce: try outcome.get("nonce"),
                ttlMilliseconds: try outcome.get("milliseconds"))
            return .json(grant.encoded())
        case "held":
            let wait = try outcome.get("milliseconds", as: Int64.self)
            // Those who wait must not all come back in the same second.
            let seconds = Int((wait + 999) / 1_000) + Int.random(in: 0...2)
            var problem = Problem(.fanoutHeld, retryAfter: max(1, seconds))
            problem = problem.with("currentEpoch", try outcome.get("epoch", as: Int64.self))
            throw problem
        default: throw try outcome.problem()
        }
    }

    func renew(
        _ device: Identifier, _ job: Identifier, _ epoch: Int64, _ request: Request
    ) async throws(Problem) -> Response {
        let proof = try body(request) { (bytes) throws(MessageError) in try DeviceAPILeaseProof(decoding: bytes) }
        let outcome = try Outcome(
            await store.row(
                """
                SELECT * FROM delivery.renew_lease(\(device), \(job), \(epoch), \(proof.nonce), \(settings.lease.ttl))
                """))
        guard outcome.word == "renewed" else { throw try outcome.problem() }
        let lease = DeviceAPILease(
            epoch: epoch, nonce: proof.nonce, ttlMilliseconds: try outcome.get("milliseconds"))
        return .json(lease.encoded())
    }

    func release(
        _ device: Identifier, _ job: Identifier, _ epoch: Int64, _ request: Request
    ) async throws(Problem) -> Response {
        let proof = try body(request) { (bytes) throws(MessageError) in try DeviceAPILeaseProof(decoding: bytes) }
        let outcome = try Outcome(
            await store.row("SELECT * FROM delivery.release_lease(\(device), \(job), \(epoch), \(proof.nonce))"))
        guard outcome.word == "released" else { throw try outcome.problem() }
        return Response(status: 204)
    }
}
