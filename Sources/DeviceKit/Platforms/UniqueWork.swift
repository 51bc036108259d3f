public import Delivery

/// One request to a scheduler of unique work (WorkManager's `enqueueUniqueWork`). It carries no state: the row in the work
/// store does.
public struct UniqueWork: Equatable, Sendable {
    public enum Policy: String, Equatable, Sendable, CaseIterable {
        /// A second request of the name adds nothing while the first is not over.
        case keep
        /// Runs after the one that is under way, or in the place of one that failed: a listing that is being read may not
        /// have what was dropped a moment ago. Never plain `REPLACE`: it stops what is running.
        case appendOrReplace
    }

    public enum Kind: Equatable, Sendable {
        case job(Identifier)
        case sync(Origin)
    }

    public var kind: Kind
    /// Ask for quota-exempt execution now; only for what was *delivered* with high priority.
    public var isExpedited: Bool

    public init(_ kind: Kind, isExpedited: Bool) {
        self.kind = kind
        self.isExpedited = isExpedited
    }

    /// Always waits for a connected network.
    public var needsNetwork: Bool { true }

    public var policy: Policy {
        switch kind {
        case .job, .sync(.opportunistic): .keep
        case .sync: .appendOrReplace
        }
    }

    /// `gen-` and the job's id in lower case, `sync-` and the origin.
    public var name: String {
        switch kind {
        case .job(let job): "gen-\(job)"
        case .sync(let origin): "sync-\(origin.rawValue)"
        }
    }

    /// The work of a name, for a worker that knows no more; `nil` for a foreign name.
    public static func kind(named name: String) -> Kind? {
        if name.hasPrefix("gen-") { return Identifier(name.dropFirst(4)).map { .job($0) } }
        if name.hasPrefix("sync-") { return Origin(rawValue: String(name.dropFirst(5))).map { .sync($0) } }
        return nil
    }
}

/// `ListenableWorker.Result`.
public enum WorkResult: String, Equatable, Sendable, CaseIterable {
    case success, retry, failure

    /// What waits is run again with the scheduler's own pauses; the row knows when it is due, and does nothing before.
    public init(_ end: PipelineEnd) {
        switch end {
        case .finished, .unknown: self = .success
        case .waiting, .busy, .stopped: self = .retry
        case .revoked: self = .failure
        }
    }
}
