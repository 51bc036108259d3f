import Cryptography
import Testing

@Suite struct StreamingDigestTests {
    @Test func `pieces give the digest of the whole`() {
        let whole = [UInt8]((0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let digest = StreamingDigest()
        for start in stride(from: 0, to: whole.count, by: 37) {
            digest.update(Array(whole[start..<min(start + 37, whole.count)]))
        }
        #expect(digest.digest() == Digest.blake2b(whole))
    }

    @Test func `nothing has the digest of nothing, and asking changes nothing`() {
        let digest = StreamingDigest()
        #expect(digest.digest() == Digest.blake2b([]))
        digest.update([1, 2])
        #expect(digest.digest() == Digest.blake2b([1, 2]))
    }
}
