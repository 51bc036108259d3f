public import Delivery

/// Answer 200 of `GET /v1/sync?limit=&after=`: one page of the pending set, oldest first; its ETag names the whole set.
public struct DeviceAPIListing: Equatable, Sendable {
    public struct Entry: Equatable, Sendable {
        public var job: Identifier
        public var documentType: DocumentType
        public var state: DeviceAPIJobState
        /// This device may submit: fan-out is open and not validly held; also for jobs it acknowledged.
        public var fanoutNeeded: Bool
        /// Epoch milliseconds.
        public var committedAt: Int64
        public var expiresAt: Int64

        public init(
            job: Identifier, documentType: DocumentType, state: DeviceAPIJobState, fanoutNeeded: Bool,
            committedAt: Int64, expiresAt: Int64
        ) {
            self.job = job
            self.documentType = documentType
            self.state = state
            self.fanoutNeeded = fanoutNeeded
            self.committedAt = committedAt
            self.expiresAt = expiresAt
        }
    }

    public var jobs: [Entry]
    /// Give it as `after` for the next page; missing on the last. Pages one listing, means nothing later.
    public var next: String?

    public init(jobs: [Entry], next: String? = nil) {
        self.jobs = jobs
        self.next = next
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.key("jobs")
            $0.array {
                for entry in jobs {
                    $0.object {
                        $0.member("job", entry.job.description)
                        $0.member("documentType", entry.documentType.rawValue)
                        $0.member("state", entry.state.rawValue)
                        $0.member("fanoutNeeded", entry.fanoutNeeded)
                        $0.member("committedAt", entry.committedAt)
                        $0.member("expiresAt", entry.expiresAt)
                    }
                }
            }
            $0.member("next", next)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        var jobs: [Entry] = []
        for value in try reader.array("jobs") {
            let entry = try JSONReader(value)
            jobs.append(
                Entry(
                    job: try entry.identifier("job"), documentType: try entry.word("documentType"),
                    state: try entry.word("state"), fanoutNeeded: try entry.bool("fanoutNeeded", default: false),
                    committedAt: try entry.integer("committedAt"), expiresAt: try entry.integer("expiresAt")))
        }
        self.init(jobs: jobs, next: try reader.optionalString("next"))
    }
}
