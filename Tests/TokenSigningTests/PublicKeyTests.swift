import Testing
import TokenSigning

struct PublicKeyTests {
    @Test func `a point verifies like the PEM it came from`() throws {
        let key = try PrivateKey.generate(.es256)
        let point = try #require(try key.publicKey.p256Point)
        try #require(point.count == 65)
        let signature = try key.sign([1])
        #expect(try PublicKey(p256Point: point).isValid(signature, for: [1]))
        let compressed = [point[64] & 1 == 0 ? 2 : 3] + point[1...32]
        #expect(try PublicKey(p256Point: compressed).isValid(signature, for: [1]))
    }

    @Test(arguments: [[], [4], [4] + [UInt8](repeating: 1, count: 64), [5] + [UInt8](repeating: 1, count: 32)])
    func `bytes that are no point are refused`(point: [UInt8]) {
        #expect(throws: TokenSigningError.self) { try PublicKey(p256Point: point) }
    }

    @Test func `raw and DER forms are not mistaken for each other`() throws {
        let key = try PrivateKey.generate(.es256)
        let signature = try key.sign([1])
        #expect(try !key.publicKey.isValid(signature, for: [1], encoding: .der))
        #expect(try !key.publicKey.isValid([], for: [1]))
        #expect(try !key.publicKey.isValid([UInt8](repeating: 0, count: 64), for: [1]))
    }

    @Test func `a DER signature made elsewhere verifies`() throws {
        let key = try PublicKey(pem: Self.pem)
        let signature = try #require(Base64URL.decoded(Self.derSignature))
        #expect(key.isValid(signature, for: Array("hint".utf8), encoding: .der))
        #expect(!key.isValid(signature, for: Array("hunt".utf8), encoding: .der))
    }

    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8j5eLj0ZJjvR6XuGrSiiP47Tr+3q
        /DvkRMZm4aS3aCATCckUBFD+GbuPKe9I8jOh1FZ0hSdrKKMb2ugQA1l2VQ==
        -----END PUBLIC KEY-----
        """
    private static let derSignature =
        "MEUCIGsXASmUSlMvoidzbGRK2bJZvxk1CQC2KR8vFrjuKjKPAiEAhu-TG04UZlNpWEtjEsw_b5skwCkJpcsNldb2oDCTAUE"
}
