public import Delivery
public import DeviceKit
import Messages

/// The store of a real phone: one SQLite file, every call one transaction that is on the disk when it returns.
public actor SQLiteStore: WorkStore {
    let database: SQLiteDatabase

    /// Opens or makes the file. A damaged file or one of a newer app is an error that says so; it is never reset here.
    public init(path: String) throws(WorkStoreError) {
        database = try SQLiteDatabase(path: path)
        try SQLiteSchema.prepare(database)
    }

    public func job(_ id: Identifier) throws(WorkStoreError) -> LocalJob? { try row(id) }

    public func openJobs() throws(WorkStoreError) -> [LocalJob] {
        var jobs: [LocalJob] = []
        for row in try database.run("\(JobRow.select) WHERE is_open = 1 ORDER BY created_at, job") {
            jobs.append(try JobRow.read(row))
        }
        return jobs
    }

    public func insert(_ job: LocalJob) throws(WorkStoreError) -> LocalJob {
        try database.transaction { () throws(WorkStoreError) in
            if let stored = try row(job.job) { return stored }
            try write(job)
            return job
        }
    }

    public func claim(
        _ id: Identifier, worker: Identifier, until: Int64, now: Int64
    ) throws(WorkStoreError) -> Bool {
        try database.run(
            """
            UPDATE job SET worker = ?1, claimed_until = ?2
             WHERE job = ?3 AND (worker IS NULL OR worker = ?1 OR claimed_until <= ?4)
            """, [SQLiteValue(worker), .integer(until), SQLiteValue(id), .integer(now)])
        return database.changes == 1
    }

    public func release(_ id: Identifier, worker: Identifier) throws(WorkStoreError) {
        try database.run(
            "UPDATE job SET worker = NULL, claimed_until = NULL WHERE job = ? AND worker = ?",
            [SQLiteValue(id), SQLiteValue(worker)])
    }

    public func forgetClaims() throws(WorkStoreError) {
        try database.run("UPDATE job SET worker = NULL, claimed_until = NULL WHERE worker IS NOT NULL")
    }

    public func save(_ change: JobChange, worker: Identifier) throws(WorkStoreError) {
        let id = SQLiteValue(change.job.job)
        try database.transaction { () throws(WorkStoreError) in
            try checkClaim(id, worker)
            try write(change.job)
            if let body = change.fetched {
                try database.run("DELETE FROM fetched WHERE job = ?", [id])
                if !body.isEmpty { try database.run("INSERT INTO fetched VALUES (?, ?)", [id, .blob(body)]) }
            }
            if let receipt = change.receipt { try insert(receipt) }
            if let submission = change.submission { try insert(submission) }
            if change.endsSubmission { try database.run("DELETE FROM submission WHERE job = ?", [id]) }
        }
    }

    public func drop(_ id: Identifier, worker: Identifier) throws(WorkStoreError) {
        try database.transaction { () throws(WorkStoreError) in
            try checkClaim(SQLiteValue(id), worker)
            try database.run("DELETE FROM job WHERE job = ?", [SQLiteValue(id)])
        }
    }

    public func apply(_ listing: Listing, origin: Origin, now: Int64) throws(WorkStoreError) {
        try database.transaction { () throws(WorkStoreError) in
            let body = DeviceAPIListing(jobs: listing.entries).encoded()
            try database.run(
                """
                INSERT INTO listing VALUES (1, ?, ?)
                ON CONFLICT (id) DO UPDATE SET etag = excluded.etag, body = excluded.body
                """, [SQLiteValue(listing.etag), .blob(body)])
            for entry in listing.entries {
                var job = try row(entry.job) ?? LocalJob(listed: entry, origin: origin, now: now)
                job.apply(.listed(entry))
                try write(job)
            }
        }
    }

    public func lastListing() throws(WorkStoreError) -> Listing? {
        guard let row = try database.run("SELECT etag, body FROM listing").first, let body = row.bytes(1) else {
            return nil
        }
        guard let listing = try? DeviceAPIListing(decoding: body) else { throw .damaged("listing") }
        return Listing(etag: row.text(0), entries: listing.jobs)
    }

    public func wakeUp() throws(WorkStoreError) {
        try database.transaction { () throws(WorkStoreError) in
            for var job in try openJobs() {
                job.apply(.wokenUp)
                try write(job)
            }
        }
    }

    func row(_ id: Identifier) throws(WorkStoreError) -> LocalJob? {
        guard let row = try database.run("\(JobRow.select) WHERE job = ?", [SQLiteValue(id)]).first else { return nil }
        return try JobRow.read(row)
    }

    private func write(_ job: LocalJob) throws(WorkStoreError) {
        try database.run(JobRow.upsert, JobRow.values(of: job))
    }

    private func checkClaim(_ id: SQLiteValue, _ worker: Identifier) throws(WorkStoreError) {
        guard try database.run("SELECT worker FROM job WHERE job = ?", [id]).first?.identifier(0) == worker else {
            throw .lostClaim
        }
    }
}
