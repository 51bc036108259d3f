import Delivery
import Messages

/// What the gateway said to a request for the lease.
enum LeaseAnswer: Equatable, Sendable {
    case granted(LocalJob.Lease)
    /// Another device holds it; ask again after so many milliseconds.
    case held(retryAfter: Int64)
    /// Submitted, closed, or not wanted.
    case over
    /// The attempt id cannot be granted any more.
    case spent
}

/// What the gateway said to a submit.
enum SubmitAnswer: Equatable, Sendable {
    case accepted
    /// Another device's submission stands, or the job is closed.
    case over
    /// Somebody else was elected, or the lease is gone: ask anew.
    case leaseLost
    /// It will never take these ciphertexts.
    case refused
}

extension GatewayClient {
    /// The raw answer, which is stored, and its reading.
    func fetch(_ job: Identifier) async throws(CallFailure) -> (raw: [UInt8], job: DeviceAPIJob) {
        let answer = try await call("GET", "/v1/jobs/\(job)")
        let fetched = try read(answer) { (bytes) throws(MessageError) in try DeviceAPIJob(decoding: bytes) }
        guard fetched.job == job else { throw .malformed("another job") }
        return (answer.body, fetched)
    }

    func claim(_ job: Identifier) async throws(CallFailure) {
        _ = try await call("POST", "/v1/jobs/\(job)/claim")
    }

    func acquireLease(_ job: Identifier, attempt: Identifier) async throws(CallFailure) -> LeaseAnswer {
        do {
            let body = DeviceAPILeaseRequest(attemptID: attempt).encoded()
            let answer = try await call("POST", "/v1/jobs/\(job)/fanout-lease", body: body)
            let lease = try read(answer) { (bytes) throws(MessageError) in try DeviceAPILease(decoding: bytes) }
            return .granted(LocalJob.Lease(epoch: lease.epoch, nonce: lease.nonce))
        } catch {
            guard case .refused(let status, let kind, let retryAfter) = error else { throw error }
            switch (status, kind) {
            case (_, .fanoutHeld): return .held(retryAfter: retryAfter ?? 30_000)
            case (_, .fanoutAlreadyDone), (_, .fanoutNotRequired), (404, _), (410, _): return .over
            case (_, .attemptSpent), (_, .fanoutFenced), (_, .leaseExpired): return .spent
            default: throw error
            }
        }
    }

    /// Bytes of ciphertext that go in one request; of more, each recipient's goes ahead by itself.
    static let largestRequest = 1 << 20

    func submit(
        _ submission: Submission, under lease: LocalJob.Lease
    ) async throws(CallFailure) -> SubmitAnswer {
        do {
            let path = "/v1/jobs/\(submission.job)/fanout/\(lease.epoch)"
            let isLarge = submission.ciphertexts.values.reduce(0) { $0 + $1.count } > Self.largestRequest
            if isLarge {
                for recipient in submission.ciphertexts.keys.sorted() {
                    let part = DeviceAPIPart(
                        nonce: lease.nonce, ciphertext: submission.ciphertexts[recipient] ?? [])
                    _ = try await call("PUT", "\(path)/parts/\(recipient)", body: part.encoded())
                }
            }
            let body = DeviceAPISubmission(
                nonce: lease.nonce, digest: submission.digest, ciphertexts: isLarge ? [:] : submission.ciphertexts
            ).encoded()
            _ = try await call("PUT", path, body: body)
            return .accepted
        } catch {
            guard case .refused(let status, let kind, _) = error else { throw error }
            switch (status, kind) {
            case (_, .fanoutAlreadyDone), (_, .submissionMismatch), (404, _), (410, _): return .over
            case (_, .fanoutFenced), (_, .leaseExpired): return .leaseLost
            case (413, _), (422, _), (400, _): return .refused
            default: throw error
            }
        }
    }

    /// A lease that is not ours any more counts as given back.
    func releaseLease(_ job: Identifier, _ lease: LocalJob.Lease) async throws(CallFailure) {
        do {
            let body = DeviceAPILeaseProof(nonce: lease.nonce).encoded()
            _ = try await call("DELETE", "/v1/jobs/\(job)/fanout-lease/\(lease.epoch)", body: body)
        } catch {
            guard case .refused(404...410, _, _) = error else { throw error }
        }
    }

    /// Sends the stored body; `isRefusal` chooses the nack.
    func report(_ job: Identifier, body: [UInt8], isRefusal: Bool) async throws(CallFailure) {
        _ = try await call("POST", "/v1/jobs/\(job)/\(isRefusal ? "nack" : "ack")", body: body)
    }

    private func read<Value>(
        _ answer: TransportResponse, _ decode: ([UInt8]) throws(MessageError) -> Value
    ) throws(CallFailure) -> Value {
        do {
            return try decode(answer.body)
        } catch {
            throw .malformed("\(error)")
        }
    }
}
