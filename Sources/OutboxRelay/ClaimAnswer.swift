import Postgres

/// What one claim statement did, before messages are made of its rows: enough to go on claiming meanwhile.
struct ClaimAnswer: Sendable {
    let route: Int16
    /// Leased rows that are to be published.
    private(set) var published = 0
    /// One of them was on its way when relays died.
    private(set) var hasSuspects = false
    /// Touched rows whose last lease had ended.
    private(set) var lapsed = 0
    /// Rows that were accounted for without a publish: moved, deferred, superseded, …, by verdict.
    private(set) var others: [String: Int] = [:]
    /// Where and how late every touched row was due.
    private(set) var places: [(share: Int, dueAt: Int64)] = []

    private let rows: Rows
    private let verdict: Column
    private let makeClaim: @Sendable (Row) throws(PostgresError) -> Claim

    /// `makeClaim` reads one row that is to be published; crashes from `suspectAfter` make it a suspect.
    init(
        _ rows: Rows, of route: Int16, suspectAfter: Int,
        makeClaim: @escaping @Sendable (Row) throws(PostgresError) -> Claim
    ) throws(PostgresError) {
        self.route = route
        self.rows = rows
        self.makeClaim = makeClaim
        verdict = try rows.column("verdict")
        let (share, dueAt) = (try rows.column("share"), try rows.column("due_at"))
        let (crashes, wasLeased) = (try rows.column("crashes"), try rows.column("was_leased"))
        places.reserveCapacity(rows.count)
        for row in rows {
            places.append((share: Int(try row[share] as Int16), dueAt: (try row[dueAt] as Timestamp).microseconds))
            if try row[wasLeased] { lapsed += 1 }
            let word: String = try row[verdict]
            if word == Self.publish {
                published += 1
                if Int(try row[crashes] as Int32) >= suspectAfter { hasSuspects = true }
            } else {
                others[word, default: 0] += 1
            }
        }
    }

    var touched: Int { places.count }

    /// Makes the messages. Not on the actor of the caller: a thousand take milliseconds, in which others can be published.
    @concurrent func read() async throws(PostgresError) -> ClaimedBatch {
        var batch = ClaimedBatch()
        batch.claims.reserveCapacity(published)
        for row in rows where try row[verdict] as String == Self.publish {
            do throws(PostgresError) {
                batch.claims.append(try makeClaim(row))
            } catch {
                let lease = Lease(id: try row["id"], token: try row["lease_token"])
                batch.unreadable.append((lease, error.description))
            }
        }
        return batch
    }

    private static let publish = "publish"
}
