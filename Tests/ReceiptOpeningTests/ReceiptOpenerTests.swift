import Cryptography
import ReceiptOpening
import Testing

@Suite struct ReceiptOpenerTests {
    private let author = SigningKey.random()
    private let device = [UInt8](repeating: 1, count: 16)
    private let key = AgreementKey.random(id: "a1")
    private let header = JobHeader(job: [UInt8](repeating: 3, count: 16), documentType: "RECEIPT")
    private let document = Array(#"{"total":"12.30"}"#.utf8)

    private var target: SealingDevice { SealingDevice(device: device, keyID: key.id, publicKey: key.publicKey) }
    private var opener: ReceiptOpener { ReceiptOpener(device: device, authors: ["p1": author.publicKey]) }

    private func fetched(_ sealed: SealedJob) -> FetchedJob {
        FetchedJob(
            header: sealed.header, body: sealed.body, bodyDigest: sealed.bodyDigest, commitment: sealed.commitment,
            signature: sealed.signature, signingKeyID: "p1", sealedKey: sealed.keys[0].sealed)
    }

    private func sealed() throws -> SealedJob {
        try JobSealer.seal(document, header: header, devices: [target], author: author)
    }

    @Test func `a sealed job opens on its device`() throws {
        let opened = try opener.open(fetched(sealed()), with: key)
        #expect(opened.document == document)
    }

    @Test func `two devices of a job find the same key and give the same evidence`() throws {
        let other = AgreementKey.random(id: "b1")
        let twin = [UInt8](repeating: 2, count: 16)
        let sealed = try JobSealer.seal(
            document, header: header,
            devices: [target, SealingDevice(device: twin, keyID: "b1", publicKey: other.publicKey)], author: author)
        var second = fetched(sealed)
        second.sealedKey = sealed.keys[1].sealed
        let mine = try opener.open(fetched(sealed), with: key)
        let theirs = try ReceiptOpener(device: twin, authors: ["p1": author.publicKey]).open(second, with: other)
        let digest = Digest.blake2b(document)
        #expect(
            mine.contentKey.evidence(ofReceiptDigest: digest) == theirs.contentKey.evidence(ofReceiptDigest: digest))
        #expect(mine.contentKey.evidence(ofReceiptDigest: digest) != digest)
    }

    @Test func `a box for another device is refused`() throws {
        let stranger = ReceiptOpener(device: [UInt8](repeating: 9, count: 16), authors: ["p1": author.publicKey])
        let job = fetched(try sealed())
        #expect(throws: OpeningError.boxOfAnother) { try stranger.open(job, with: key) }
    }

    @Test func `a box for another key is refused`() throws {
        let job = fetched(try sealed())
        #expect(throws: OpeningError.boxDoesNotOpen) { try opener.open(job, with: .random(id: "a1")) }
    }

    @Test func `the box of another job is refused even under a valid signature`() throws {
        let content = ContentKey.random()
        let one = try JobSealer.seal(
            document, header: header, devices: [target], author: author, contentKey: content)
        var otherHeader = header
        otherHeader.job = [UInt8](repeating: 4, count: 16)
        let two = try JobSealer.seal(
            document, header: otherHeader, devices: [target], author: author, contentKey: content)
        var mixed = fetched(two)
        mixed.sealedKey = one.keys[0].sealed
        #expect(throws: OpeningError.boxOfAnother) { try opener.open(mixed, with: key) }
    }

    @Test func `the box of another body is refused even under a valid signature`() throws {
        let content = ContentKey.random()
        let one = try JobSealer.seal(
            document, header: header, devices: [target], author: author, contentKey: content)
        var mixed = fetched(
            try JobSealer.seal(document, header: header, devices: [target], author: author, contentKey: content))
        mixed.sealedKey = one.keys[0].sealed
        #expect(throws: OpeningError.boxOfAnother) { try opener.open(mixed, with: key) }
    }

    @Test func `an unknown or wrong author is refused`() throws {
        var job = fetched(try sealed())
        job.signingKeyID = "p2"
        #expect(throws: OpeningError.authorUnknown) { try opener.open(job, with: key) }
        let forged = fetched(
            try JobSealer.seal(document, header: header, devices: [target], author: .random()))
        #expect(throws: OpeningError.authorUnknown) { try opener.open(forged, with: key) }
    }

    @Test func `a changed document type is refused, because the author signed it`() throws {
        var job = fetched(try sealed())
        job.header.documentType = "CREDIT_NOTE"
        #expect(throws: OpeningError.authorUnknown) { try opener.open(job, with: key) }
    }

    @Test func `an unknown version of the sealed key is refused as such`() throws {
        var job = fetched(try sealed())
        job.sealedKey[0] = 2
        #expect(throws: OpeningError.unknownVersion(2)) { try opener.open(job, with: key) }
    }

    @Test func `every flipped byte of a job is refused`() throws {
        let job = fetched(try sealed())
        func flipped(_ part: WritableKeyPath<FetchedJob, [UInt8]>, at index: Int) -> FetchedJob {
            var copy = job
            copy[keyPath: part][index] ^= 0x40
            return copy
        }
        for part in [\FetchedJob.bodyDigest, \.commitment, \.signature, \.sealedKey, \.body] {
            for index in stride(from: 0, to: job[keyPath: part].count, by: part == \.body ? 97 : 1) {
                #expect(throws: OpeningError.self) { try opener.open(flipped(part, at: index), with: key) }
            }
        }
    }
}
