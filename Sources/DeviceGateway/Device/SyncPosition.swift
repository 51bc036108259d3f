import Delivery
import Postgres

/// Where a page of a listing ends: commit time and job. Pages one listing, means nothing later.
struct SyncPosition: Equatable {
    var committedAt: Timestamp
    var job: Identifier

    init(committedAt: Timestamp, job: Identifier) {
        self.committedAt = committedAt
        self.job = job
    }

    init?(_ text: String) {
        let halves = text.split(separator: "." as Character, maxSplits: 1)
        guard halves.count == 2, let microseconds = Int64(halves[0]), let job = Identifier(halves[1]) else {
            return nil
        }
        // The server's range ends long before the number's.
        guard abs(microseconds) < 9_000_000_000_000_000 else { return nil }
        self.init(committedAt: Timestamp(microseconds: microseconds), job: job)
    }

    var text: String { "\(committedAt.microseconds).\(job)" }
}
