import CSodium
import Cryptography
import ReceiptOpening
import Testing

/// A malicious producer made one ciphertext that decrypts under two keys, so that two phones would generate two receipts.
@Suite struct TwoKeysAttackTests {
    private let first = ContentKey(bytes: [UInt8](repeating: 0x11, count: 32))!
    private let second = ContentKey(bytes: [UInt8](repeating: 0x22, count: 32))!
    private let header = JobHeader(job: [UInt8](repeating: 3, count: 16), documentType: "RECEIPT")
    private let device = [UInt8](repeating: 1, count: 16)
    private let key = AgreementKey.random(id: "a1")
    private let author = SigningKey.random()

    /// Two of its blocks were solved for, so that the Poly1305 tags of both keys agree.
    private let body: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11,
        0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x94, 0x7b, 0x99, 0xe1, 0x05, 0xe8, 0x79, 0x98, 0xca, 0xf6, 0x69, 0x10,
        0x6a, 0x2f, 0x79, 0x06, 0x67, 0xd9, 0x21, 0xcf, 0x6f, 0x91, 0xd9, 0xc2, 0x0f, 0xc5, 0x6b, 0x01, 0x88, 0xed,
        0x04, 0xb5, 0x62, 0x4b, 0x60, 0xc5, 0x8c, 0x9d, 0x8b, 0xfb, 0x6f, 0xf1, 0x88, 0x6c, 0x2f, 0xd6, 0x05, 0xd2,
        0xad, 0xeb, 0x6e, 0xa4, 0xda, 0x57, 0x60, 0x68, 0x20, 0x1b, 0x6c, 0x69, 0x58, 0xce, 0x93, 0xf4, 0x38, 0x79,
        0xa3, 0xa4, 0x42, 0x2e, 0x52, 0xe0, 0xfa, 0x42, 0x35, 0xc0, 0x00, 0x77, 0x29, 0xc4,
    ]

    private func job(boxKey: ContentKey, boxCommitment: [UInt8], commitment: [UInt8]) -> FetchedJob {
        let digest = Digest.blake2b(body)
        let message = boxKey.bytes + boxCommitment + header.job + device + digest
        var box = [UInt8](repeating: 0, count: message.count + 48)
        crypto_box_seal(&box, message, UInt64(message.count), key.publicKey)
        return FetchedJob(
            header: header, body: body, bodyDigest: digest, commitment: commitment,
            signature: author.sign(header.signedBytes(commitment: commitment, bodyDigest: digest)),
            signingKeyID: "p1", sealedKey: [JobSealer.version] + box)
    }

    private func refusal(of job: FetchedJob) -> OpeningError? {
        let opener = ReceiptOpener(device: device, authors: ["p1": author.publicKey])
        do throws(OpeningError) {
            _ = try opener.open(job, with: key)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the cipher alone opens the body under both keys, to different texts`() throws {
        let associated = header.associatedData(commitment: first.commitment)
        let one = try #require(SecretBox.open(body, associated: associated, key: first.bodyKey))
        let two = try #require(SecretBox.open(body, associated: associated, key: second.bodyKey))
        #expect(one != two)
    }

    @Test func `a second key under the job's commitment is refused`() {
        let commitment = first.commitment
        #expect(
            refusal(of: job(boxKey: second, boxCommitment: commitment, commitment: commitment)) == .commitmentMismatch)
    }

    @Test func `a second key with its own commitment in the box is refused`() {
        let attack = job(boxKey: second, boxCommitment: second.commitment, commitment: first.commitment)
        #expect(refusal(of: attack) == .commitmentMismatch)
    }

    @Test func `a box that names another commitment than its key has is refused`() {
        let attack = job(boxKey: first, boxCommitment: second.commitment, commitment: first.commitment)
        #expect(refusal(of: attack) == .commitmentMismatch)
    }
}
