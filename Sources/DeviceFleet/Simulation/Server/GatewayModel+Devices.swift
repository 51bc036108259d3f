import Delivery
import DeviceKit
import Messages

extension GatewayModel {
    mutating func enrol(_ body: [UInt8], _ device: Identifier, _ now: Int64) -> TransportResponse {
        guard let enrolment = try? DeviceAPIEnrolment(decoding: body), enrolment.device == device else {
            return GatewayModel.problem(400, .badRequest, now)
        }
        if let known = devices[device] {
            guard known.enrolment.signingKey == enrolment.signingKey else {
                return GatewayModel.problem(409, .keyConflict, now)
            }
        } else {
            devices[device] = Device(enrolment: enrolment)
            deviceOrder.append(device)
        }
        let answer = DeviceAPIEnrolled(
            device: device, account: GatewayModel.account, deviceSetVersion: Int64(deviceOrder.count))
        return TransportResponse(status: 201, body: answer.encoded())
    }

    /// A token that another device had moves here: one installation has one owner.
    mutating func register(_ body: [UInt8], _ device: Identifier, _ now: Int64) -> TransportResponse {
        guard let token = try? DeviceAPIPushToken(decoding: body) else {
            return GatewayModel.problem(400, .badRequest, now)
        }
        guard token.registration >= devices[device]!.highestRegistration else {
            return GatewayModel.problem(409, .staleRegistration, now)
        }
        for other in deviceOrder where devices[other]?.token?.token == token.token { devices[other]?.token = nil }
        devices[device]?.token = token
        devices[device]?.highestRegistration = token.registration
        return TransportResponse(status: 204)
    }

    mutating func unregister(_ body: [UInt8], _ device: Identifier, _ now: Int64) -> TransportResponse {
        guard let removal = try? DeviceAPIPushTokenRemoval(decoding: body) else {
            return GatewayModel.problem(400, .badRequest, now)
        }
        guard removal.registration >= devices[device]!.highestRegistration else {
            return GatewayModel.problem(409, .staleRegistration, now)
        }
        devices[device]?.token = nil
        devices[device]?.highestRegistration = removal.registration
        return TransportResponse(status: 204)
    }

    /// The owner reset the account or lost the phone: the device has no rights any more.
    mutating func revoke(_ device: Identifier) {
        revoked.insert(device)
        devices[device]?.isRevoked = true
        devices[device]?.token = nil
        for id in order {
            if jobs[id]?.states[device] == .pending { jobs[id]?.states[device] = .cancelled }
            if jobs[id]?.holder?.device == device, jobs[id]?.submission == nil { jobs[id]?.holder = nil }
        }
    }

    /// A provider said that the token is dead.
    mutating func clear(token: String) {
        for device in deviceOrder where devices[device]?.token?.token == token { devices[device]?.token = nil }
    }

    /// The whole pending set by keyset, two entries a page, so that paging is part of every run.
    func listing(_ request: TransportRequest, _ device: Identifier, _ now: Int64) -> TransportResponse {
        let etag = "\"\(devices[device]!.version)-\(needed(device, now).count)\""
        if request.fields.contains(TransportRequest.Field("If-None-Match", etag)) {
            return TransportResponse(status: 304, fields: ["etag": etag])
        }
        let entries = pending(device, now)
        let after = request.query.split(separator: "after=" as String).dropFirst().first.flatMap { Int($0) } ?? 0
        let next = after + 2 < entries.count ? "\(after + 2)" : nil
        let page = DeviceAPIListing(jobs: Array(entries.dropFirst(after).prefix(2)), next: next)
        return TransportResponse(status: 200, fields: ["etag": etag], body: page.encoded())
    }

    func pending(_ device: Identifier, _ now: Int64) -> [DeviceAPIListing.Entry] {
        let needed = Set(needed(device, now))
        return order.compactMap { id in
            guard let job = jobs[id], let state = job.states[device] else { return nil }
            guard state == .pending || (state == .acknowledged && needed.contains(id)) else { return nil }
            return DeviceAPIListing.Entry(
                job: id, documentType: .receipt, state: state, fanoutNeeded: needed.contains(id),
                committedAt: job.committedAt, expiresAt: now + 86_400_000)
        }
    }

    /// Jobs whose fan-out is open and not validly held.
    private func needed(_ device: Identifier, _ now: Int64) -> [Identifier] {
        order.filter { id in
            guard let job = jobs[id], job.states[device] != nil else { return false }
            return job.needsFanout && job.submission == nil && !job.isHeld(now)
        }
    }
}
