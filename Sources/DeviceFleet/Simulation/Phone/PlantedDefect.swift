import Cryptography
import Delivery
import DeviceKit
import DeviceStore
import Messages

/// Bugs that a simulation can put into a phone, to show that its checks would notice them. They are planted around the kit,
/// in what it calls; no app can switch them on.
public enum PlantedDefect: String, Sendable, CaseIterable {
    /// The store says that a row is written before it is on the disk, so acknowledgements may outrun their receipts.
    case acknowledgesBeforeSync = "acknowledges-before-sync"
    /// The ciphertexts of a submission are made anew for each try.
    case encryptsAgain = "encrypts-again"
    /// A listing is read from the newest commit time seen so far, not whole.
    case syncsByCursor = "syncs-by-cursor"
    /// What was explained and prompted is kept with the account, and goes with it.
    case forgetsExplanation = "forgets-explanation"
    /// A hint makes the phone fetch whatever else is pending.
    case fetchesOthers = "fetches-others"
    /// The alert names the job.
    case showsJob = "shows-job"
    /// Work of a name that comes again stops the one that runs.
    case replacesWork = "replaces-work"
    /// The elected device acknowledges before it submits.
    case acknowledgesBeforeSubmit = "acknowledges-before-submit"

    /// A row that hides its lease until the report is sent.
    static func withoutElection(_ job: LocalJob) -> LocalJob {
        guard job.stage == .generated, job.lease != nil, job.report == .pending else { return job }
        var masked = job
        masked.fanout = .notNeeded
        masked.lease = nil
        return masked
    }

    static func withElection(_ changed: LocalJob, of stored: LocalJob) -> LocalJob {
        guard withoutElection(stored) != stored else { return changed }
        var job = changed
        job.fanout = stored.fanout
        job.lease = stored.lease
        return job
    }

    static func encryptedAgain(_ stored: Submission) -> Submission {
        var ciphertexts: [String: [UInt8]] = [:]
        for (recipient, bytes) in stored.ciphertexts { ciphertexts[recipient] = RandomBytes.make(bytes.count) }
        return Submission(
            job: stored.job, ciphertexts: ciphertexts,
            digest: Digest.blake2b(DeviceAPISubmission.digestInput(ciphertexts)))
    }

    static func newer(_ listing: Listing, in image: inout MemoryImage) throws(WorkStoreError) -> Listing {
        let cursor = try image.value("cursor").flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
        var seen = listing
        seen.entries.removeAll { $0.committedAt <= cursor }
        let last = seen.entries.map(\.committedAt).max() ?? cursor
        try image.setValue("cursor", Array("\(last)".utf8))
        return seen
    }
}
