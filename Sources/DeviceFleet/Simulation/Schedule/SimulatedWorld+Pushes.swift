import Delivery
import DeviceKit
import Messages

extension SimulatedWorld {
    /// What the push services do with the hints of a job.
    public enum PushWeather: Sendable {
        case fair
        /// Some are lost, some late by hours, some come twice.
        case rough
        /// Accepted, and never seen again.
        case lost
        /// That many milliseconds late.
        case late(Int64)
    }

    /// One hint for each device with a token, as the senders would send it.
    func hint(_ job: Identifier) {
        let tokens = network.withGateway { gateway in
            gateway.deviceOrder.filter { gateway.jobs[job]?.states[$0] == .pending }
                .compactMap { gateway.devices[$0]?.token }
        }
        for token in tokens {
            var delay = random.number(in: 50...2_000)
            var copies = 1
            switch weather {
            case .fair: break
            case .lost: continue
            case .late(let time): delay = time
            case .rough:
                let luck = random.fraction()
                if luck < 0.15 { continue }
                if luck < 0.30 { delay = random.number(in: 60_000...7_200_000) }
                if luck > 0.85 { copies = 2 }
            }
            for copy in 0..<copies {
                let delay = delay + Int64(copy) * random.number(in: 100...60_000)
                begin { [self] in
                    await sleep(delay)
                    await deliver(job, to: token)
                }
            }
        }
    }

    private func deliver(_ job: Identifier, to token: DeviceAPIPushToken) async {
        for phone in phones where await phone.token == token.token {
            let expiry = network.withGateway { $0.jobs[job]?.answers.values.first?.expiresAt } ?? .max
            return await phone.push(PushMessage(payload: payload(job, for: token.provider), expiresAt: expiry))
        }
        // UNREGISTERED, or 410 for APNs.
        network.withGateway { $0.clear(token: token.token) }
    }

    func payload(_ job: Identifier, for provider: Provider) -> [UInt8] {
        let hint = WorkHint(job: job, documentType: .receipt)
        guard provider == .apns else {
            return JSONWriter.object {
                $0.member("eventType", WorkHint.eventType)
                $0.member("eventVersion", String(WorkHint.eventVersion))
                $0.member("jobId", job.description)
                $0.member("documentType", hint.documentType.rawValue)
            }
        }
        let alert = APNSPayload.Alert(titleKey: "RECEIPT_TITLE", bodyKey: "RECEIPT_BODY")
        let category = defects.contains(.showsJob) ? "RECEIPT \(job)" : "RECEIPT"
        return APNSPayload(alert: alert, category: category, hint: hint).encoded()
    }

    /// A push that no server of ours sent.
    func junk() -> [UInt8] {
        switch random.index(5) {
        case 0: return random.bytes(random.index(64))
        case 1: return Array(#"{"aps":{"content-available":1}}"#.utf8)
        case 2: return Array(#"{"eventType":"\#(WorkHint.eventType)","eventVersion":2,"jobId":"x"}"#.utf8)
        case 3: return Array(#"{"eventType":"NEW","eventVersion":"9"}"#.utf8)
        default: return payload(Identifier(versioned: random.bytes(16), 4), for: .fcm)
        }
    }
}
