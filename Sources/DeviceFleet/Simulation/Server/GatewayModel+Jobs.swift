import Cryptography
import Delivery
import DeviceKit
import Messages

extension GatewayModel {
    mutating func act(
        _ method: String, _ path: [String], _ body: [UInt8], _ job: inout Job, _ device: Identifier, _ now: Int64
    ) -> TransportResponse {
        switch (method, path.first ?? "") {
        case ("GET", ""): return fetch(job, device, now)
        case ("POST", "claim"):
            let time = job.claims[device] ?? now
            job.claims[device] = time
            let claim = DeviceAPIClaim(
                state: job.states[device]!, claimedAt: time, fanout: job.needsFanout ? .needed : .notRequired)
            return TransportResponse(status: 200, body: claim.encoded())
        case ("POST", "fanout-lease"): return lease(body, &job, device, now)
        case ("DELETE", "fanout-lease"):
            if job.holder?.device == device { job.holder = nil }
            return TransportResponse(status: 204)
        case ("PUT", "fanout"): return submit(body, path.last ?? "", &job, device, now)
        case ("POST", "ack"), ("POST", "nack"): return report(body, &job, device, now, isRefusal: path.first == "nack")
        default: return GatewayModel.problem(404, .notFound, now)
        }
    }

    private func fetch(_ job: Job, _ device: Identifier, _ now: Int64) -> TransportResponse {
        var answer = job.answers[device]!
        answer.state = job.states[device]!
        answer.pendingOthers = order.count { $0 != job.id && jobs[$0]?.states[device] == .pending }
        answer.fanout =
            !job.needsFanout ? .notRequired : job.submission != nil ? .done : job.isHeld(now) ? .held : .needed
        return TransportResponse(status: 200, body: answer.encoded())
    }

    private mutating func lease(
        _ body: [UInt8], _ job: inout Job, _ device: Identifier, _ now: Int64
    ) -> TransportResponse {
        guard let request = try? DeviceAPILeaseRequest(decoding: body) else {
            return GatewayModel.problem(400, .badRequest, now)
        }
        guard job.needsFanout else { return GatewayModel.problem(409, .fanoutNotRequired, now) }
        guard job.submission == nil else { return GatewayModel.problem(409, .fanoutAlreadyDone, now) }
        if let holder = job.holder, holder.expires > now {
            guard holder.device == device, holder.attempt == request.attemptID else {
                return GatewayModel.problem(409, .fanoutHeld, now, retryAfter: (holder.expires - now + 999) / 1000)
            }
            return granted(job.epoch, holder, now)
        }
        guard job.attempts.insert(request.attemptID).inserted else {
            return GatewayModel.problem(409, .attemptSpent, now)
        }
        job.epoch += 1
        let holder = Job.Holder(
            device: device, nonce: .random(using: &random), attempt: request.attemptID,
            expires: now + GatewayModel.leaseTime)
        job.holder = holder
        return granted(job.epoch, holder, now)
    }

    private func granted(_ epoch: Int64, _ holder: Job.Holder, _ now: Int64) -> TransportResponse {
        let lease = DeviceAPILease(epoch: epoch, nonce: holder.nonce, ttlMilliseconds: holder.expires - now)
        return TransportResponse(status: 200, body: lease.encoded())
    }

    /// Late is no reason to refuse, another election is.
    private mutating func submit(
        _ body: [UInt8], _ epoch: String, _ job: inout Job, _ device: Identifier, _ now: Int64
    ) -> TransportResponse {
        guard let submission = try? DeviceAPISubmission(decoding: body), let epoch = Int64(epoch),
            Digest.blake2b(DeviceAPISubmission.digestInput(submission.ciphertexts)) == submission.digest
        else { return GatewayModel.problem(400, .badRequest, now) }
        if let done = job.submission {
            let isSame = done.device == device && done.epoch == epoch
            if isSame, done.digest != submission.digest { return GatewayModel.problem(422, .submissionMismatch, now) }
            return isSame ? TransportResponse(status: 200) : GatewayModel.problem(409, .fanoutAlreadyDone, now)
        }
        guard let holder = job.holder, holder.device == device, job.epoch == epoch, holder.nonce == submission.nonce
        else { return GatewayModel.problem(409, .fanoutFenced, now) }
        job.submission = (device, epoch, submission.digest)
        bump(job.states.keys)
        return TransportResponse(status: 201)
    }

    private mutating func report(
        _ body: [UInt8], _ job: inout Job, _ device: Identifier, _ now: Int64, isRefusal: Bool
    ) -> TransportResponse {
        if isRefusal {
            guard (try? DeviceAPINack(decoding: body)) != nil else {
                return GatewayModel.problem(400, .badRequest, now)
            }
            if job.states[device] == .pending { job.states[device] = .failed }
        } else {
            if job.holder?.device == device, job.isHeld(now), job.submission == nil {
                return GatewayModel.problem(409, .fanoutOutstanding, now)
            }
            guard let ack = try? DeviceAPIAck(decoding: body) else {
                return GatewayModel.problem(400, .badRequest, now)
            }
            job.states[device] = .acknowledged
            job.evidence[device] = ack.receiptEvidence
        }
        bump([device])
        return TransportResponse(status: 202)
    }
}
