import Cryptography
import Delivery
import Messages
import ReceiptOpening

extension Pipeline {
    /// Opens, checks and generates. Receipt, submission and the body of the report go into the store in one transaction.
    func generate(_ job: LocalJob) async throws -> StepResult {
        guard let raw = try await store.fetched(job.job), let fetched = try? DeviceAPIJob(decoding: raw) else {
            return try await rejected(job, .documentInvalid)
        }
        guard fetched.bodyFormat == JobBody.format else { return try await rejected(job, .cannotDecrypt) }
        let found: AgreementKey?
        do throws(KeyStoreError) {
            found = try await keys.agreementKey(id: fetched.keyID)
        } catch {
            switch error {
            case .locked: return .failed(.locked)
            case .failed(let reason): return .failed(.unreachable(reason))
            case .stopped: return .failed(.stopped)
            }
        }
        guard let key = found else { return try await rejected(job, .keyMissing) }
        let opened: OpenedJob
        do throws(OpeningError) {
            opened = try ReceiptOpener(device: device.bytes, authors: authors).open(FetchedJob(fetched), with: key)
        } catch {
            return try await rejected(job, FailureReason(error))
        }
        do {
            let receipt = try generator.receipt(
                of: opened.document, job: job.job, documentType: job.documentType)
            journal.record(JournalEntry(.generated, job: job.job, digest: Hex.encode(receipt.digest)))
            let submission =
                try fetched.recipients.isEmpty
                ? nil
                : Submission.make(of: receipt, for: fetched.recipients, under: opened.contentKey, by: generator)
            let ack = DeviceAPIAck(
                origin: job.origin, receiptEvidence: opened.contentKey.evidence(ofReceiptDigest: receipt.digest),
                clientSequence: try await store.nextNumber("report"))
            var job = job
            job.apply(.generated(digest: receipt.digest, reportBody: ack.encoded()))
            return .changed(
                JobChange(job, fetched: [], receipt: receipt, submission: submission),
                [JournalEntry(.persisted, job: job.job, digest: Hex.encode(receipt.digest))])
        } catch GenerationError.documentInvalid {
            return try await rejected(job, .documentInvalid)
        } catch GenerationError.unavailable {
            return .failed(.unreachable("generator"))
        }
    }

    private func rejected(_ job: LocalJob, _ reason: FailureReason) async throws -> StepResult {
        let nack = DeviceAPINack(
            origin: job.origin, reason: reason.rawValue, clientSequence: try await store.nextNumber("report"))
        var job = job
        job.apply(.rejected(reason, reportBody: nack.encoded()))
        return .changed(
            JobChange(job, fetched: []), [JournalEntry(.rejected, job: job.job, detail: reason.rawValue)])
    }
}

extension FetchedJob {
    init(_ answer: DeviceAPIJob) {
        self.init(
            header: JobHeader(
                job: answer.job.bytes, documentType: answer.documentType.rawValue, format: answer.bodyFormat),
            body: answer.body, bodyDigest: answer.bodyDigest, commitment: answer.commitment,
            signature: answer.signature, signingKeyID: answer.signingKeyID, sealedKey: answer.sealedKey)
    }
}

extension FailureReason {
    init(_ error: OpeningError) {
        switch error {
        case .commitmentMismatch: self = .commitmentMismatch
        case .authorUnknown: self = .authorUnknown
        case .unknownVersion, .boxDoesNotOpen, .boxOfAnother, .bodyDoesNotOpen, .badPadding: self = .cannotDecrypt
        }
    }
}
