import Cryptography
import Testing

@Suite struct Ed25519Tests {
    @Test func `the first vector of RFC 8032 signs to its signature`() throws {
        let seed: [UInt8] = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49,
            0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ]
        let key = try #require(SigningKey(seed: seed))
        #expect(key.publicKey.prefix(4) == [0xd7, 0x5a, 0x98, 0x01])
        let signature = key.sign([])
        #expect(signature.prefix(4) == [0xe5, 0x56, 0x43, 0x00])
        #expect(Ed25519.isValid(signature, of: [], publicKey: key.publicKey))
    }

    @Test func `a changed message, signature or key is refused`() {
        let key = SigningKey.random()
        let signature = key.sign([1, 2, 3])
        var other = signature
        other[0] ^= 1
        #expect(!Ed25519.isValid(signature, of: [1, 2, 4], publicKey: key.publicKey))
        #expect(!Ed25519.isValid(other, of: [1, 2, 3], publicKey: key.publicKey))
        #expect(!Ed25519.isValid(signature, of: [1, 2, 3], publicKey: SigningKey.random().publicKey))
    }

    @Test func `lengths that are wrong are refused, not read past`() {
        #expect(!Ed25519.isValid([], of: [], publicKey: []))
        #expect(SigningKey(seed: [1]) == nil)
    }
}
