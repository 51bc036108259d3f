public import Delivery
import DeviceKit
import DeviceStore
import Messages

extension SimulatedWorld {
    /// Every app is opened once, and every phone is enrolled and has its token registered.
    public func enrolAll() async -> Bool {
        for phone in phones { await phone.tell(.opened) }
        for _ in 0..<120 {
            await sleep(1_000)
            let ready = network.withGateway { gateway in gateway.devices.values.count { $0.token != nil } }
            if ready == phones.count { return true }
        }
        return false
    }

    /// All trouble ends, and owners open their apps now and then; false if something is still open after two hours of that.
    public func settle() async -> Bool {
        network.setTroubled(false)
        setWeather(.fair)
        for phone in phones {
            phone.disk.setFull(false)
            await phone.tell(.network(true))
            await phone.tell(.opened)
        }
        for round in 1...120 {
            await sleep(60_000)
            if isComplete { return true }
            guard round % 3 == 0 else { continue }
            for phone in phones { await phone.tell(.left) }
            await sleep(1_000)
            for phone in phones { await phone.tell(.opened) }
        }
        return isComplete
    }

    /// Every device that was not revoked acknowledged every job of its, and every fan-out was submitted.
    public var isComplete: Bool { incomplete.isEmpty }

    /// What is still open, and where.
    public var incomplete: [String] {
        let local = phones.flatMap { phone in
            ((try? phone.disk.durable.openJobs()) ?? []).map {
                "\($0.job) is \($0.stage.rawValue) on phone \(phone.configuration.number)"
            }
        }
        return local + remote
    }

    private var remote: [String] {
        network.withGateway { gateway in
            gateway.order.flatMap { id -> [String] in
                guard let job = gateway.jobs[id] else { return [] }
                var open = gateway.deviceOrder.enumerated().compactMap { index, device -> String? in
                    guard let state = job.states[device], gateway.devices[device]?.isRevoked != true else { return nil }
                    return state == .acknowledged ? nil : "\(id) is \(state.rawValue) at device \(index)"
                }
                let somebodyIsLeft = job.states.keys.contains { gateway.devices[$0]?.isRevoked != true }
                if job.needsFanout, job.submission == nil, somebodyIsLeft { open.append("\(id) is not submitted") }
                return open
            }
        }
    }

    /// The token that the gateway has for a device; `nil` without one.
    public func token(of device: Identifier) -> String? { network.withGateway { $0.devices[device]?.token?.token } }

    /// Evidence of the receipts of a job, by device.
    public func evidence(of job: Identifier) -> [Identifier: [UInt8]] {
        network.withGateway { $0.jobs[job]?.evidence ?? [:] }
    }

    /// Who submitted the ciphertexts of a job.
    public func submitter(of job: Identifier) -> Identifier? {
        network.withGateway { $0.jobs[job]?.submission?.device }
    }

    /// The checks that need the end: what is on the disks, who was elected, what became of every job.
    public func check() async {
        for phone in phones {
            checker.inspect(phone.disk.durable, of: phone.configuration.number)
            guard let device = phone.storedDevice else { continue }
            let accepted = network.withGateway { gateway in
                gateway.order.compactMap { gateway.jobs[$0] }
                    .filter { $0.submission?.device == device }.map { ($0.id, $0.submission!.epoch) }
            }
            for (job, epoch) in accepted {
                checker.elected(phone.configuration.number, job: job, epoch: epoch)
            }
            let own = network.withGateway { gateway in gateway.order.filter { gateway.jobs[$0]?.states[device] != nil }
            }
            let receipts = (try? phone.disk.durable.receipts()) ?? []
            for receipt in receipts where !own.contains(receipt.job) {
                checker.report(
                    "I-21: a receipt of \(receipt.job), which is not for phone \(phone.configuration.number)")
            }
        }
        let evidence = network.withGateway { gateway in gateway.jobs.values.filter { Set($0.evidence.values).count > 1 }
        }
        if !evidence.isEmpty { checker.report("I-9: two devices prove different receipts of one job") }
    }

    /// What has to be the same whether alerts are shown or not (I-22b): without who was elected, and without times.
    public func finalState() -> [String] {
        let local = phones.flatMap { phone -> [String] in
            let image = phone.disk.durable
            return ((try? image.receipts()) ?? []).map { receipt in
                let row = try? image.job(receipt.job)
                let name = "\(phone.configuration.number) \(receipt.job) \(Hex.encode(receipt.digest))"
                return "\(name) \(row?.stage.rawValue ?? "") \(row?.report.rawValue ?? "")"
            }
        }
        let remote = network.withGateway { gateway in
            gateway.order.compactMap { gateway.jobs[$0] }.map { job in
                let states = gateway.deviceOrder.map { job.states[$0]?.rawValue ?? "-" }.joined(separator: ",")
                return "\(job.id) \(states) \(job.submission != nil || !job.needsFanout) \(job.evidence.count)"
            }
        }
        return (local + remote).sorted()
    }
}
