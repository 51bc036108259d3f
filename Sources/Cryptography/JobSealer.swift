import CSodium

/// A device that a job is sealed to.
public struct SealingDevice: Equatable, Sendable {
    /// Sixteen bytes.
    public var device: [UInt8]
    public var keyID: String
    /// X25519, 32 bytes.
    public var publicKey: [UInt8]

    public init(device: [UInt8], keyID: String, publicKey: [UInt8]) {
        self.device = device
        self.keyID = keyID
        self.publicKey = publicKey
    }
}

/// A job as `delivery.commit_job` takes it: nothing in it can be read without a device's private key.
public struct SealedJob: Equatable, Sendable {
    public struct Key: Equatable, Sendable {
        public var device: [UInt8]
        public var keyID: String
        /// A version byte and the sealed box (K2).
        public var sealed: [UInt8]
    }

    public var header: JobHeader
    public var body: [UInt8]
    public var bodyDigest: [UInt8]
    public var commitment: [UInt8]
    public var signature: [UInt8]
    public var keys: [Key]
}

/// Why a document cannot be sealed.
public enum SealingError: Error, Equatable, CustomStringConvertible {
    case documentTooLong(Int)
    case badPublicKey(keyID: String)

    public var description: String {
        switch self {
        case .documentTooLong(let count): "the document has \(count) bytes, at most \(JobBody.longestDocument) fit"
        case .badPublicKey(let keyID): "agreement key \(keyID) is not a usable X25519 key"
        }
    }
}

/// The producer's half of K1, K2 and K7. Opening is in `ReceiptOpening`, which no server links.
public enum JobSealer {
    /// First byte of a sealed key.
    public static let version: UInt8 = 1

    /// Encrypts for the devices under a new content key and signs as the author.
    public static func seal(
        _ document: [UInt8], header: JobHeader, devices: [SealingDevice], author: SigningKey
    ) throws(SealingError) -> SealedJob {
        try seal(document, header: header, devices: devices, author: author, contentKey: .random())
    }

    /// The same under a given content key, for a tester who later proves evidence with it.
    public static func seal(
        _ document: [UInt8], header: JobHeader, devices: [SealingDevice], author: SigningKey, contentKey: ContentKey
    ) throws(SealingError) -> SealedJob {
        guard let padded = JobBody.pad(document) else { throw .documentTooLong(document.count) }
        let commitment = contentKey.commitment
        let body = SecretBox.seal(
            padded, associated: header.associatedData(commitment: commitment), key: contentKey.bodyKey)
        let bodyDigest = Digest.blake2b(body)
        var keys: [SealedJob.Key] = []
        for device in devices {
            let sealed = try seal(
                key: contentKey.bytes, commitment: commitment, header: header, bodyDigest: bodyDigest, to: device)
            keys.append(SealedJob.Key(device: device.device, keyID: device.keyID, sealed: sealed))
        }
        let signature = author.sign(header.signedBytes(commitment: commitment, bodyDigest: bodyDigest))
        return SealedJob(
            header: header, body: body, bodyDigest: bodyDigest, commitment: commitment, signature: signature, keys: keys
        )
    }

    /// The content of a sealed box: key, commitment, job, device, body digest; 128 bytes.
    static func seal(
        key: [UInt8], commitment: [UInt8], header: JobHeader, bodyDigest: [UInt8], to device: SealingDevice
    ) throws(SealingError) -> [UInt8] {
        guard device.publicKey.count == 32 else { throw .badPublicKey(keyID: device.keyID) }
        Sodium.prepare()
        let message = key + commitment + header.job + device.device + bodyDigest
        var box = [UInt8](repeating: 0, count: message.count + 48)
        guard crypto_box_seal(&box, message, UInt64(message.count), device.publicKey) == 0 else {
            throw .badPublicKey(keyID: device.keyID)
        }
        return [version] + box
    }
}
