import Delivery
import DeviceKit

/// How a `LocalJob` lies in table `job`; the claim columns are the store's own.
enum JobRow {
    private static let columns = [
        "job", "document_type", "origin", "stage", "fanout", "report", "rejection", "digest", "report_body", "attempt",
        "lease_epoch", "lease_nonce", "failures", "retry_at", "fanout_retry_at", "created_at",
    ]

    static let select = "SELECT \(columns.joined(separator: ", ")) FROM job"

    static let upsert: String = {
        let all = columns + ["is_open"]
        let marks = all.map { _ in "?" }.joined(separator: ", ")
        let updates = all.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO job (\(all.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT (job) DO UPDATE SET \(updates)
            """
    }()

    static func values(of job: LocalJob) -> [SQLiteValue] {
        [
            SQLiteValue(job.job), .text(job.documentType.rawValue), .text(job.origin.rawValue),
            .text(job.stage.rawValue), .text(job.fanout.rawValue), .text(job.report.rawValue),
            SQLiteValue(job.rejection), SQLiteValue(job.digest), SQLiteValue(job.reportBody), SQLiteValue(job.attempt),
            SQLiteValue(job.lease?.epoch), SQLiteValue(job.lease?.nonce), .integer(Int64(job.failures)),
            SQLiteValue(job.retryAt), SQLiteValue(job.fanoutRetryAt), .integer(job.createdAt),
            .integer(job.isOpen ? 1 : 0),
        ]
    }

    static func read(_ row: SQLiteRow) throws(WorkStoreError) -> LocalJob {
        guard let id = row.identifier(0), let failures = row.integer(12), let createdAt = row.integer(15) else {
            throw .damaged("job")
        }
        var job = LocalJob(
            job: id, documentType: try row.word(1), origin: try row.word(2), createdAt: createdAt)
        job.stage = try row.word(3)
        job.fanout = try row.word(4)
        job.report = try row.word(5)
        job.rejection = row.text(6)
        job.digest = row.bytes(7)
        job.reportBody = row.bytes(8)
        job.attempt = row.identifier(9)
        if let epoch = row.integer(10), let nonce = row.identifier(11) {
            job.lease = LocalJob.Lease(epoch: epoch, nonce: nonce)
        }
        job.failures = Int(failures)
        job.retryAt = row.integer(13)
        job.fanoutRetryAt = row.integer(14)
        return job
    }
}
