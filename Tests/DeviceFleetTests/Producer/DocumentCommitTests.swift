import Cryptography
import Daemon
import Delivery
import DeviceFleet
import FoundationEssentials
import Postgres
import ReceiptOpening
import Storage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct DocumentCommitTests {
    private let device = Identifier.random()
    private let key = AgreementKey.random(id: "a1")
    private let document = Array(#"{"total":"12.30"}"#.utf8)

    private func author() throws -> AuthorKey {
        let folder = FileManager.default.temporaryDirectory.appending(path: "author-\(Identifier.random())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try AuthorKey.loadOrMake(folder.appending(path: "key.json").path(percentEncoded: false))
    }

    private func enrol(_ administrator: Connection) async throws {
        try await administrator.execute(
            "INSERT INTO delivery.account (account_id, device_set_version) VALUES ('acme', 1)")
        try await administrator.execute(
            """
            INSERT INTO delivery.device (device_id, account_id, platform, signing_algorithm, signing_key)
            VALUES (\(device), 'acme', 'ios', 'ed25519', \([UInt8](repeating: 1, count: 32)))
            """)
        try await administrator.execute(
            "INSERT INTO delivery.device_key (device_id, key_id, public_key) VALUES (\(device), 'a1', \(key.publicKey))"
        )
    }

    @Test func `what is committed as producer opens on the device, and nowhere in the database in clear`() async throws
    {
        let author = try author()
        try await withScratchDatabase { database in
            let administrator = try await Connection.open(database.settings)
            try await enrol(administrator)
            let producer = try await Connection.open(database.settings(as: "md_producer"))
            let commit = DocumentCommit(
                account: "acme", documentType: .creditNote, document: document, recipients: ["ledger", "tax"],
                lifetime: .seconds(3600), author: author)
            #expect(try await commit.run(on: producer) == 1)
            let row = try await administrator.query(
                """
                SELECT j.document_type, j.body_format, j.body_digest, j.commitment, j.signature, j.signing_key_id,
                       j.recipients, b.body, d.sealed_key
                  FROM delivery.generation_job j JOIN delivery.job_body b USING (job_id)
                  JOIN delivery.job_device d USING (job_id)
                 WHERE j.job_id = \(commit.job)
                """
            ).one()
            let recipients: [String] = try row["recipients"]
            #expect(recipients == ["ledger", "tax"])
            let format: Int16 = try row["body_format"]
            let fetched = FetchedJob(
                header: JobHeader(
                    job: commit.job.bytes, documentType: try row["document_type"], format: Int(format)),
                body: try row["body"], bodyDigest: try row["body_digest"], commitment: try row["commitment"],
                signature: try row["signature"], signingKeyID: try row["signing_key_id"],
                sealedKey: try row["sealed_key"])
            let opener = ReceiptOpener(device: device.bytes, authors: [author.id: author.key.publicKey])
            #expect(try opener.open(fetched, with: key).document == document)
            await producer.close()
            await administrator.close()
        }
    }

    @Test func `an account without a device is refused with what to do`() async throws {
        let author = try author()
        try await withScratchDatabase { database in
            let producer = try await Connection.open(database.settings(as: "md_producer"))
            let commit = DocumentCommit(
                account: "nobody", documentType: .receipt, document: document, recipients: [], lifetime: .seconds(3600),
                author: author)
            await #expect(throws: CommandFailure.self) { try await commit.run(on: producer) }
            await producer.close()
        }
    }
}
