public import Delivery
public import DeviceKit
import Messages

extension SQLiteStore {
    public func fetched(_ id: Identifier) throws(WorkStoreError) -> [UInt8]? {
        try database.run("SELECT body FROM fetched WHERE job = ?", [SQLiteValue(id)]).first?.bytes(0)
    }

    public func receipt(_ id: Identifier) throws(WorkStoreError) -> Receipt? {
        try receipts(where: "WHERE job = ?", [SQLiteValue(id)]).first
    }

    public func receipts() throws(WorkStoreError) -> [Receipt] { try receipts(where: "ORDER BY job", []) }

    public func submission(_ id: Identifier) throws(WorkStoreError) -> Submission? {
        let rows = try database.run("SELECT body FROM submission WHERE job = ?", [SQLiteValue(id)])
        guard let body = rows.first?.bytes(0) else { return nil }
        guard let stored = try? DeviceAPISubmission(decoding: body) else { throw .damaged("submission") }
        return Submission(job: id, ciphertexts: stored.ciphertexts, digest: stored.digest)
    }

    func insert(_ receipt: Receipt) throws(WorkStoreError) {
        if let stored = try self.receipt(receipt.job) {
            guard stored.digest == receipt.digest else { throw .conflict }
            return
        }
        try database.run(
            "INSERT INTO receipt VALUES (?, ?, ?, ?)",
            [
                SQLiteValue(receipt.job), .text(receipt.documentType.rawValue), .blob(receipt.document),
                .blob(receipt.digest),
            ])
    }

    /// In the bytes of the API, with the job in the place of a nonce that is not known yet.
    func insert(_ submission: Submission) throws(WorkStoreError) {
        let body = DeviceAPISubmission(
            nonce: submission.job, digest: submission.digest, ciphertexts: submission.ciphertexts)
        try database.run(
            "INSERT INTO submission VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [SQLiteValue(submission.job), .blob(submission.digest), .blob(body.encoded())])
    }

    private func receipts(where clause: String, _ values: [SQLiteValue]) throws(WorkStoreError) -> [Receipt] {
        var receipts: [Receipt] = []
        for row in try database.run("SELECT job, document_type, document, digest FROM receipt \(clause)", values) {
            guard let job = row.identifier(0), let document = row.bytes(2), let digest = row.bytes(3) else {
                throw .damaged("receipt")
            }
            receipts.append(Receipt(job: job, documentType: try row.word(1), document: document, digest: digest))
        }
        return receipts
    }
}
