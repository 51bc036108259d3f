public import Delivery
import Messages

/// What became of a hint.
public enum HintEnd: Equatable, Sendable {
    /// Worked on.
    case work(PipelineEnd)
    /// Nothing was fetched. A sync may follow: see `syncIfWished`.
    case ignored
}

extension Device {
    /// A push arrived. Fetches the named job and no other; when others are pending, or the payload is of a version unknown
    /// to this app, a sync is wished.
    public func receive(_ payload: [UInt8], until deadline: Int64? = nil) async throws(DeviceError) -> HintEnd {
        switch HintVerdict(payload: payload) {
        case .invalid:
            hosts.journal.record(JournalEntry(.hintInvalid))
            return .ignored
        case .unknown:
            hosts.journal.record(JournalEntry(.hintInvalid, detail: "unknown type or version"))
            wanted.set()
            return .ignored
        case .work(let hint):
            hosts.journal.record(JournalEntry(.hint, job: hint.job))
            if identity.platform == .android { hosts.notifier.notify(job: hint.job, documentType: hint.documentType) }
            return .work(try await process(hint.job, as: hint.documentType, until: deadline))
        }
    }

    /// Works on the job that a hint named, and on no other: for hosts that validate a hint in one place and do its work in
    /// another (Android's unique work, whose input is the job alone). The fetch tells the document type, whatever is given.
    public func process(
        _ job: Identifier, as documentType: DocumentType = .receipt, until deadline: Int64? = nil
    ) async throws(DeviceError) -> PipelineEnd {
        let row = LocalJob(job: job, documentType: documentType, origin: .hint, createdAt: hosts.clock.wall())
        do { _ = try await hosts.store.insert(row) } catch { throw DeviceError(error) }
        let end = await pipeline().run(job, until: deadline)
        if end == .revoked { throw .revoked }
        if end == .stopped { throw .stopped }
        return end
    }

    /// A sync that something vague calls for, such as a hint of a version unknown to this app; false if there was one in the
    /// coalescing time: then it is still wished.
    @discardableResult
    public func coalescedSync(until deadline: Int64? = nil) async throws(DeviceError) -> Bool {
        wanted.set()
        return try await syncIfWished(until: deadline)
    }

    /// The separate work that a hint may call for, at most once in the coalescing time; false if there was none to do.
    @discardableResult
    public func syncIfWished(until deadline: Int64? = nil) async throws(DeviceError) -> Bool {
        let now = hosts.clock.monotonic()
        if let last = lastCoalescedSync, now - last < settings.coalescing { return false }
        guard wanted.isWished else { return false }
        lastCoalescedSync = now
        try await sync(.opportunistic, until: deadline)
        return true
    }
}
