import Cryptography
import Delivery
import DeviceFleet
import DeviceKit
import LocalStack
import Messages
import Postgres

// What a step's jobs left in stores, at the providers and at the integrator, against what the step says.
extension VerifiedPhones {
    func contradictions(_ step: VerificationStep, jobs: [Canary]) async throws -> [String] {
        var found: [String] = []
        // Each step judges what it is about: the first three have nothing to say about stores.
        for canary in jobs where step.rawValue >= VerificationStep.exactlyOnce.rawValue {
            // The one for a token that is no more is nobody's: its phones are gone.
            guard try await producer.status(of: canary.job).devices.contains(where: { $0.state == "acknowledged" })
            else {
                continue
            }
            found += try await receipts(canary)
            found += try await effects(canary)
            for phone in phones { found += PhoneOrder.contradictions(phone.record, canary.job) }
        }
        switch step {
        case .registration: found += try await registration()
        case .targetedFetch:
            for canary in jobs {
                found += try await pushes(canary)
                for phone in phones { found += PhoneOrder.hintContradictions(phone.record, canary.job) }
            }
        case .permissionOff:
            for phone in phones where await phone.alertsWhileDenied > 0 {
                found.append("phone \(phone.name) showed something without permission")
            }
        default: break
        }
        return found
    }

    /// Every phone of the job has the one receipt on its disk, and acknowledged that one.
    private func receipts(_ canary: Canary) async throws -> [String] {
        let expected = try CanonicalReceiptGenerator().receipt(
            of: canary.document, job: canary.job, documentType: .receipt)
        guard let key = ContentKey(bytes: canary.contentKey.bytes) else { return ["the content key is none"] }
        let evidence = key.evidence(ofReceiptDigest: expected.digest)
        var found: [String] = []
        let rows = try await rows(of: canary.job)
        for phone in phones {
            guard let device = try await phone.storedDevice(), let row = rows[device], row.state == "acknowledged"
            else {
                continue
            }
            if row.evidence != evidence { found.append("phone \(phone.name) acknowledged another receipt") }
            guard let stored = try await phone.receiptOnDisk(canary.job) else {
                found.append("phone \(phone.name) acknowledged \(canary.job), and its receipt is not on the disk")
                continue
            }
            if stored.digest != expected.digest { found.append("phone \(phone.name) stored another receipt") }
        }
        return found
    }

    private func rows(of job: Identifier) async throws -> [Identifier: (state: String, evidence: [UInt8])] {
        try await withDatabase { connection in
            var rows: [Identifier: (state: String, evidence: [UInt8])] = [:]
            let found = try await connection.query(
                """
                SELECT device_id, state, coalesce(evidence, ''::bytea) AS evidence FROM delivery.job_device
                 WHERE job_id = \(job)
                """)
            for row in found { rows[try row["device_id"]] = (try row["state"], try row["evidence"]) }
            return rows
        }
    }

    /// One message a recipient, however often it came.
    private func effects(_ canary: Canary) async throws -> [String] {
        var effects: [String: Set<String>] = [:]
        for sighting in stack.tap.sightings where sighting.type == "downstream.v1" {
            guard let message = try? DownstreamMessage(decoding: sighting.body), message.job == canary.job else {
                continue
            }
            effects[message.recipient, default: []].insert(sighting.messageID)
        }
        return canary.recipients.filter { effects[$0]?.count != 1 }.map {
            "\(effects[$0]?.count ?? 0) downstream effects for \($0)"
        }
    }

    /// Tokens have one active owner, and nothing was explained or prompted twice in an installation.
    private func registration() async throws -> [String] {
        var found: [String] = []
        for phone in phones {
            let explanations = phone.record.count { if case .explanation = $0 { true } else { false } }
            let prompts = phone.record.count { if case .prompt = $0 { true } else { false } }
            if explanations != 1 { found.append("phone \(phone.name) explained notifications \(explanations) times") }
            if prompts != 1 { found.append("phone \(phone.name) prompted \(prompts) times") }
        }
        let shared: Int64 = try await withDatabase { connection in
            try await connection.query(
                """
                SELECT count(*) AS tokens FROM (
                    SELECT fingerprint FROM delivery.push_token WHERE state = 'active'
                     GROUP BY fingerprint HAVING count(*) > 1) t
                """
            ).one()["tokens"]
        }
        if shared != 0 { found.append("\(shared) tokens have two active owners") }
        return found
    }

    private func withDatabase<Value>(_ body: (Connection) async throws -> Value) async throws -> Value {
        let connection = try await Connection.open(ConnectionSettings(url: stack.site.databaseURL))
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
