import Cryptography
import Daemon
public import Delivery
import Messages
public import Postgres
import Storage

/// What a host backend does in its own transaction: encrypts a document for an account's devices, signs and commits it.
public struct DocumentCommit: Sendable {
    public var job: Identifier
    public var account: String
    public var documentType: DocumentType
    public var document: [UInt8]
    public var recipients: [String]
    public var lifetime: Duration
    public var author: AuthorKey
    public var traceparent: String?

    public init(
        job: Identifier = .random(), account: String, documentType: DocumentType, document: [UInt8],
        recipients: [String], lifetime: Duration, author: AuthorKey, traceparent: String? = nil
    ) {
        self.job = job
        self.account = account
        self.documentType = documentType
        self.document = document
        self.recipients = recipients
        self.lifetime = lifetime
        self.author = author
        self.traceparent = traceparent
    }

    /// Reads the device set and commits in one transaction; a set that changed in between is read again. Returns the number of
    /// devices.
    public func run(on connection: Connection) async throws -> Int {
        var attempts = 0
        while true {
            do {
                return try await connection.transaction { try await self.commit($0) }
            } catch let error as PostgresError where error.sqlState == "MD002" && attempts < 5 {
                attempts += 1
            } catch let error as PostgresError where error.sqlState?.hasPrefix("MD") == true {
                throw CommandFailure(.dataError, "the commit is refused: \(error)")
            }
        }
    }

    private func commit(_ transaction: Transaction) async throws -> Int {
        let rows = try await transaction.query(
            "SELECT device_id, key_id, public_key, device_set_version FROM delivery.account_devices(\(account))")
        guard let first = rows.first else {
            throw CommandFailure(.dataError, "account \(account) has no active device: enrol one first")
        }
        let version: Int64 = try first["device_set_version"]
        let devices = try rows.map { row in
            let device: Identifier = try row["device_id"]
            return SealingDevice(device: device.bytes, keyID: try row["key_id"], publicKey: try row["public_key"])
        }
        let sealed = try seal(for: devices)
        let keys = sealed.keys
        try await transaction.execute(
            """
            SELECT delivery.commit_job(
                \(job), \(account), \(documentType.rawValue), \(sealed.body), \(Int16(sealed.header.format)),
                \(sealed.bodyDigest), \(sealed.commitment), \(sealed.signature), \(author.id), \(version),
                ARRAY(SELECT ROW(d, k, s)::delivery.sealed_key
                        FROM unnest(\(keys.map { Identifier(bytes: $0.device) }), \(keys.map(\.keyID)),
                                    \(keys.map(\.sealed))) t(d, k, s)),
                \(recipients), \(lifetime), \(traceparent as String?))
            """)
        return devices.count
    }

    private func seal(for devices: [SealingDevice]) throws(CommandFailure) -> SealedJob {
        do {
            return try JobSealer.seal(
                document, header: JobHeader(job: job.bytes, documentType: documentType.rawValue), devices: devices,
                author: author.key)
        } catch {
            throw CommandFailure(.dataError, "the document cannot be sealed: \(error)")
        }
    }
}
