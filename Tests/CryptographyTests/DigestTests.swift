import Cryptography
import Testing

@Suite struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func `SHA-256 gives the digest of FIPS 180`() {
        #expect(
            hex(Digest.sha256(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `BLAKE2b-256 gives the known digest`() {
        #expect(
            hex(Digest.blake2b(Array("abc".utf8))) == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"
        )
    }

    @Test func `HMAC gives the vector of RFC 4231 padded to 32 bytes`() {
        let key = [UInt8](repeating: 0x0b, count: 20) + [UInt8](repeating: 0, count: 12)
        #expect(
            hex(Digest.hmac(Array("Hi There".utf8), key: key))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    }

    @Test func `the personalisation separates purposes`() {
        let key = [UInt8](repeating: 1, count: 32)
        #expect(
            Digest.blake2b([1], key: key, personalisation: "one")
                != Digest.blake2b([1], key: key, personalisation: "two"))
    }

    @Test(arguments: [([1, 2], [1, 2], true), ([1, 2], [1, 3], false), ([1], [1, 2], false), ([], [], true)])
    func `constant time comparison equals comparison`(left: [UInt8], right: [UInt8], equal: Bool) {
        #expect(ConstantTime.areEqual(left, right) == equal)
    }
}
