import Cryptography
import Delivery
import DeviceKit
import Messages

/// The gateway as a device sees it, in memory, with the lease rules of the real one; scripted faults come first.
actor SimulatedGateway {
    struct Job {
        var answers: [Identifier: DeviceAPIJob]
        var states: [Identifier: DeviceAPIJobState]
        var claims: [Identifier: Int64] = [:]
        var evidence: [Identifier: [UInt8]] = [:]
        var epoch: Int64 = 0
        var holder: (device: Identifier, nonce: Identifier, attempt: Identifier, expires: Int64)?
        var attempts: Set<Identifier> = []
        var submission: (device: Identifier, epoch: Int64, digest: [UInt8])?
        var needsFanout: Bool
        var isGone = false
    }

    enum Entry: Equatable {
        case request(Identifier, String)
        case granted(Identifier, Int64)
        case submitted(Identifier, Int64)
        case acknowledged(Identifier)
        case failed(Identifier, String)
    }

    enum Fault: Equatable {
        case status(Int, DeviceAPIProblem.Kind? = nil, retryAfter: Int? = nil)
        case noAnswer
        case offline
        /// Processed, but the answer is lost.
        case answerLost
    }

    let clock: TestClock
    private(set) var jobs: [Identifier: Job] = [:]
    private(set) var order: [Identifier] = []
    private(set) var log: [Entry] = []
    private var signers: [Identifier: [UInt8]] = [:]
    private var versions: [Identifier: Int] = [:]
    private(set) var enrolled: [Identifier: DeviceAPIEnrolment] = [:]
    private(set) var tokens: [Identifier: DeviceAPIPushToken] = [:]
    private var revoked: Set<Identifier> = []
    /// By "METHOD suffix-of-path"; each is used once.
    private var faults: [(match: String, fault: Fault)] = []
    var checksTime = false
    var recordsAcks = true
    static let leaseTime: Int64 = 90_000

    init(clock: TestClock) { self.clock = clock }

    func script(_ match: String, _ fault: Fault, times: Int = 1) {
        for _ in 0..<times { faults.append((match, fault)) }
    }

    func commit(_ id: Identifier, needsFanout: Bool, answers: [Identifier: DeviceAPIJob]) {
        jobs[id] = Job(answers: answers, states: answers.mapValues { _ in .pending }, needsFanout: needsFanout)
        order.append(id)
        for device in answers.keys { versions[device, default: 0] += 1 }
    }

    func revoke(_ device: Identifier) { revoked.insert(device) }
    func close(_ job: Identifier) { jobs[job]?.isGone = true }
    func setChecksTime() { checksTime = true }
    /// A recorder that lost what the gateway took.
    func setRecordsAcks(_ flag: Bool) { recordsAcks = flag }
    func grantTo(_ device: Identifier, job: Identifier) {
        let nonce = Identifier.random()
        jobs[job]?.epoch += 1
        jobs[job]?.holder = (device, nonce, Identifier.random(), clock.trueTime + SimulatedGateway.leaseTime)
    }

    func requests(of device: Identifier) -> [String] {
        log.compactMap { if case .request(device, let line) = $0 { line } else { nil } }
    }

    fileprivate func answer(_ request: TransportRequest) throws(TransportError) -> TransportResponse {
        let line = "\(request.method) \(request.path)"
        guard let device = sender(of: request) else { return problem(401, .badSignature) }
        log.append(.request(device, line))
        if let index = faults.firstIndex(where: { fault in matches(line, fault.match) }) {
            switch faults.remove(at: index).fault {
            case .status(let status, let kind, let retryAfter):
                return problem(status, kind, retryAfter: retryAfter)
            case .noAnswer: throw .failed("timed out")
            case .offline: throw .offline
            case .answerLost:
                _ = route(request, device)
                throw .failed("connection reset")
            }
        }
        return route(request, device)
    }

    private func matches(_ line: String, _ match: String) -> Bool {
        let words = match.split(separator: " " as Character).map(String.init)
        return line.hasPrefix(words[0]) && line.hasSuffix(words.count > 1 ? words[1] : "")
    }

    private func sender(of request: TransportRequest) -> Identifier? {
        func field(_ name: String) -> String? { request.fields.first { $0.name == name }?.value }
        guard let signature = field("Signature-Input").flatMap(RequestSignature.init(input:)),
            let bytes = field("Signature").flatMap(RequestSignature.signature(inHeader:))
        else { return nil }
        let content = request.body.map { body in
            SignedRequest.Content(digest: Digest.sha256(body), type: field("Content-Type") ?? "")
        }
        let signed = SignedRequest(
            method: request.method, authority: "gateway.test", path: request.path, query: request.query,
            content: content)
        let key =
            signers[signature.keyID]
            ?? request.body.flatMap { try? DeviceAPIEnrolment(decoding: $0) }?.signingKey
        guard let key, let base = signature.base(of: signed), Ed25519.isValid(bytes, of: base, publicKey: key) else {
            return nil
        }
        lastCreated = signature.created
        return signature.keyID
    }

    private var lastCreated: Int64 = 0

    private func route(_ request: TransportRequest, _ device: Identifier) -> TransportResponse {
        let now = clock.trueTime
        if checksTime, abs(lastCreated - now / 1000) > RequestSignature.windowSeconds {
            return problem(401, .clockSkew)
        }
        if revoked.contains(device) { return problem(401, .deviceRevoked) }
        let parts = request.path.split(separator: "/" as Character).map(String.init)
        switch (request.method, parts.dropFirst().first, parts.count) {
        case ("POST", "devices", 2): return enrol(request.body ?? [], device)
        case ("PUT", "devices", 4):
            guard let token = try? DeviceAPIPushToken(decoding: request.body ?? []) else { return problem(400, nil) }
            tokens[device] = token
            return TransportResponse(status: 204)
        case ("GET", "sync", 2): return listing(request, device)
        case (_, "jobs", 3...):
            guard let id = Identifier(parts[2]), var job = jobs[id], job.answers[device] != nil else {
                return problem(404, .notFound)
            }
            if job.isGone { return problem(410, .gone) }
            let answer = act(request, parts.dropFirst(3).joined(separator: "/"), &job, device, now)
            jobs[id] = job
            return answer
        default: return problem(404, .notFound)
        }
    }

    private func enrol(_ body: [UInt8], _ device: Identifier) -> TransportResponse {
        guard let enrolment = try? DeviceAPIEnrolment(decoding: body), enrolment.device == device else {
            return problem(400, .badRequest)
        }
        if let known = enrolled[device], known != enrolment { return problem(409, .keyConflict) }
        enrolled[device] = enrolment
        signers[device] = enrolment.signingKey
        let answer = DeviceAPIEnrolled(device: device, account: "acme", deviceSetVersion: Int64(enrolled.count))
        return TransportResponse(status: 201, body: answer.encoded())
    }

    private func listing(_ request: TransportRequest, _ device: Identifier) -> TransportResponse {
        let etag = "\"v\(versions[device, default: 0])\""
        if request.fields.contains(TransportRequest.Field("If-None-Match", etag)) {
            return TransportResponse(status: 304, fields: ["etag": etag])
        }
        var entries: [DeviceAPIListing.Entry] = []
        for id in order {
            guard let job = jobs[id], let state = job.states[device], !job.isGone else { continue }
            let isHeld = job.holder.map { $0.expires > clock.trueTime } ?? false
            let needed = job.needsFanout && job.submission == nil && !isHeld
            guard state == .pending || (state == .acknowledged && needed) else { continue }
            entries.append(
                DeviceAPIListing.Entry(
                    job: id, documentType: .receipt, state: state, fanoutNeeded: needed, committedAt: 1, expiresAt: 2))
        }
        // Two a page, so that paging is always part of the run.
        let after = request.query.split(separator: "after=" as String).dropFirst().first.flatMap { Int($0) } ?? 0
        let page = Array(entries.dropFirst(after).prefix(2))
        let next = after + 2 < entries.count ? "\(after + 2)" : nil
        return TransportResponse(
            status: 200, fields: ["etag": etag], body: DeviceAPIListing(jobs: page, next: next).encoded())
    }

    private func act(
        _ request: TransportRequest, _ action: String, _ job: inout Job, _ device: Identifier, _ now: Int64
    ) -> TransportResponse {
        let body = request.body ?? []
        switch (request.method, action.split(separator: "/" as Character).first.map(String.init) ?? "") {
        case ("GET", ""):
            var answer = job.answers[device]!
            answer.state = job.states[device]!
            answer.pendingOthers = jobs.values.count {
                $0.states[device] == .pending && $0.answers[device]?.job != job.answers[device]?.job
            }
            answer.fanout = !job.needsFanout ? .notRequired : job.submission == nil ? .needed : .done
            return TransportResponse(status: 200, body: answer.encoded())
        case ("POST", "claim"):
            let time = job.claims[device] ?? now
            job.claims[device] = time
            let claim = DeviceAPIClaim(state: job.states[device]!, claimedAt: time, fanout: .needed)
            return TransportResponse(status: 200, body: claim.encoded())
        case ("POST", "fanout-lease"): return lease(body, &job, device, now)
        case ("DELETE", "fanout-lease"):
            if job.holder?.device == device { job.holder = nil }
            return TransportResponse(status: 204)
        case ("PUT", "fanout"): return submit(body, action, &job, device)
        case ("POST", "ack"):
            if let holder = job.holder, holder.device == device, holder.expires > now, job.submission == nil {
                return problem(409, .fanoutOutstanding)
            }
            guard let ack = try? DeviceAPIAck(decoding: body) else { return problem(400, .badRequest) }
            log.append(.acknowledged(device))
            if recordsAcks {
                job.states[device] = .acknowledged
                job.evidence[device] = ack.receiptEvidence
                for other in job.answers.keys { versions[other, default: 0] += 1 }
            }
            return TransportResponse(status: 202)
        case ("POST", "nack"):
            guard let nack = try? DeviceAPINack(decoding: body) else { return problem(400, .badRequest) }
            log.append(.failed(device, nack.reason))
            if recordsAcks {
                job.states[device] = .failed
                versions[device, default: 0] += 1
            }
            return TransportResponse(status: 202)
        default: return problem(404, .notFound)
        }
    }

    private func lease(_ body: [UInt8], _ job: inout Job, _ device: Identifier, _ now: Int64) -> TransportResponse {
        guard let request = try? DeviceAPILeaseRequest(decoding: body) else { return problem(400, .badRequest) }
        guard job.needsFanout else { return problem(409, .fanoutNotRequired) }
        guard job.submission == nil else { return problem(409, .fanoutAlreadyDone) }
        if let holder = job.holder, holder.expires > now {
            guard holder.device == device else { return problem(409, .fanoutHeld, retryAfter: 90) }
            guard holder.attempt == request.attemptID else { return problem(409, .fanoutHeld, retryAfter: 90) }
            return granted(job.epoch, holder.nonce)
        }
        guard job.attempts.insert(request.attemptID).inserted else { return problem(409, .attemptSpent) }
        job.epoch += 1
        let nonce = Identifier.random()
        job.holder = (device, nonce, request.attemptID, now + SimulatedGateway.leaseTime)
        log.append(.granted(device, job.epoch))
        return granted(job.epoch, nonce)
    }

    private func granted(_ epoch: Int64, _ nonce: Identifier) -> TransportResponse {
        TransportResponse(
            status: 200,
            body: DeviceAPILease(epoch: epoch, nonce: nonce, ttlMilliseconds: SimulatedGateway.leaseTime).encoded())
    }

    private func submit(
        _ body: [UInt8], _ action: String, _ job: inout Job, _ device: Identifier
    ) -> TransportResponse {
        guard let submission = try? DeviceAPISubmission(decoding: body),
            let epoch = action.split(separator: "/" as Character).last.flatMap({ Int64($0) })
        else { return problem(400, .badRequest) }
        if let done = job.submission {
            return done.device == device && done.epoch == epoch && done.digest == submission.digest
                ? TransportResponse(status: 200) : problem(409, .fanoutAlreadyDone)
        }
        guard let holder = job.holder, holder.device == device, job.epoch == epoch, holder.nonce == submission.nonce
        else { return problem(409, .fanoutFenced) }
        job.submission = (device, epoch, submission.digest)
        log.append(.submitted(device, epoch))
        for other in job.answers.keys { versions[other, default: 0] += 1 }
        return TransportResponse(status: 201)
    }

    private func problem(_ status: Int, _ kind: DeviceAPIProblem.Kind?, retryAfter: Int? = nil) -> TransportResponse {
        let body = DeviceAPIProblem(kind: kind, status: status, title: "", serverTime: clock.trueTime)
        return TransportResponse(
            status: status, fields: retryAfter.map { ["retry-after": "\($0)"] } ?? [:], body: body.encoded())
    }
}

extension SimulatedGateway: Transport {
    nonisolated var authority: String { "gateway.test" }
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse { try answer(request) }
}
