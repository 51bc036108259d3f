import CSodium
public import Cryptography

/// A job as a device fetched it.
public struct FetchedJob: Equatable, Sendable {
    public var header: JobHeader
    public var body: [UInt8]
    public var bodyDigest: [UInt8]
    public var commitment: [UInt8]
    public var signature: [UInt8]
    public var signingKeyID: String
    public var sealedKey: [UInt8]

    public init(
        header: JobHeader, body: [UInt8], bodyDigest: [UInt8], commitment: [UInt8], signature: [UInt8],
        signingKeyID: String, sealedKey: [UInt8]
    ) {
        self.header = header
        self.body = body
        self.bodyDigest = bodyDigest
        self.commitment = commitment
        self.signature = signature
        self.signingKeyID = signingKeyID
        self.sealedKey = sealedKey
    }
}

/// A job that passed every check.
public struct OpenedJob: Sendable {
    public var document: [UInt8]
    public var contentKey: ContentKey
}

/// The device's half of K1, K2 and K7, and the only code that opens a sealed box.
public struct ReceiptOpener: Sendable {
    /// Sixteen bytes: a box made for another device is refused.
    private let device: [UInt8]
    /// Pinned author keys by id.
    private let authors: [String: [UInt8]]

    public init(device: [UInt8], authors: [String: [UInt8]]) {
        self.device = device
        self.authors = authors
    }

    /// Author, box and commitment are checked before a byte of the body is decrypted.
    public func open(_ job: FetchedJob, with key: AgreementKey) throws(OpeningError) -> OpenedJob {
        guard ConstantTime.areEqual(Digest.blake2b(job.body), job.bodyDigest) else { throw .bodyDoesNotOpen }
        let signed = job.header.signedBytes(commitment: job.commitment, bodyDigest: job.bodyDigest)
        guard let author = authors[job.signingKeyID], Ed25519.isValid(job.signature, of: signed, publicKey: author)
        else { throw .authorUnknown }
        let box = try unseal(job.sealedKey, with: key)
        guard let contentKey = ContentKey(bytes: box.key) else { throw .boxDoesNotOpen }
        // All three: an attacker who makes one ciphertext for two keys must fail whichever two he makes agree.
        let own = contentKey.commitment
        let isBoxes = ConstantTime.areEqual(own, box.commitment)
        let isJobs = ConstantTime.areEqual(own, job.commitment)
        guard isBoxes, isJobs else { throw .commitmentMismatch }
        let isThisJob = ConstantTime.areEqual(box.job, job.header.job)
        let isThisDevice = ConstantTime.areEqual(box.device, device)
        let isThisBody = ConstantTime.areEqual(box.bodyDigest, job.bodyDigest)
        guard isThisJob, isThisDevice, isThisBody else { throw .boxOfAnother }
        let associated = job.header.associatedData(commitment: own)
        guard let padded = SecretBox.open(job.body, associated: associated, key: contentKey.bodyKey) else {
            throw .bodyDoesNotOpen
        }
        guard let document = JobBody.unpad(padded) else { throw .badPadding }
        return OpenedJob(document: document, contentKey: contentKey)
    }

    private func unseal(_ sealed: [UInt8], with key: AgreementKey) throws(OpeningError) -> Box {
        guard let version = sealed.first else { throw .boxDoesNotOpen }
        guard version == JobSealer.version else { throw .unknownVersion(version) }
        let box = Array(sealed.dropFirst())
        guard box.count == 128 + 48 else { throw .boxDoesNotOpen }
        Sodium.prepare()
        var message = [UInt8](repeating: 0, count: 128)
        guard crypto_box_seal_open(&message, box, UInt64(box.count), key.publicKey, key.secretKey) == 0 else {
            throw .boxDoesNotOpen
        }
        return Box(message)
    }

    /// What a sealed box holds, in the order of `JobSealer`.
    private struct Box {
        let key, commitment, job, device, bodyDigest: [UInt8]

        init(_ message: [UInt8]) {
            key = Array(message[0..<32])
            commitment = Array(message[32..<64])
            job = Array(message[64..<80])
            device = Array(message[80..<96])
            bodyDigest = Array(message[96..<128])
        }
    }
}
