import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    func ack(_ device: Identifier, _ job: Identifier, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPIAck(decoding: bytes) }
        guard wish.receiptEvidence.count == 32 else { throw Problem(.badRequest, "receiptEvidence must have 32 bytes") }
        return try await publish(
            DeviceAck(
                job: job, device: device, result: .acknowledged, origin: wish.origin, evidence: wish.receiptEvidence,
                clientSequence: wish.clientSequence, receivedAt: Instant.now()))
    }

    func nack(_ device: Identifier, _ job: Identifier, _ request: Request) async throws(Problem) -> Response {
        let wish = try body(request) { (bytes) throws(MessageError) in try DeviceAPINack(decoding: bytes) }
        guard FailureReason(rawValue: wish.reason) != nil else { throw Problem(.badRequest, "unknown reason") }
        return try await publish(
            DeviceAck(
                job: job, device: device, result: .failed, origin: wish.origin, reason: wish.reason,
                clientSequence: wish.clientSequence, receivedAt: Instant.now()))
    }

    /// Refuses before it publishes; 202 only after the broker's confirm, because afterwards nobody refuses (decision 7).
    private func publish(_ ack: DeviceAck) async throws(Problem) -> Response {
        let outcome = try Outcome(await store.row("SELECT * FROM delivery.check_ack(\(ack.device), \(ack.job))"))
        // Who holds a lease may still give up for good: only an ack says that the fan-out is done.
        guard outcome.word == "ok" || (outcome.word == "outstanding" && ack.result == .failed) else {
            throw try outcome.problem()
        }
        guard await acks.publish(ack) else { throw .unavailable }
        return Response(status: 202)
    }
}
