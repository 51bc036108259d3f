import Testing
import TokenSigning

struct PrivateKeyTests {
    @Test(arguments: Algorithm.allCases)
    func `what a key signs its public key verifies`(algorithm: Algorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let signature = try key.sign([1, 2, 3])
        #expect(try key.publicKey.isValid(signature, for: [1, 2, 3]))
        #expect(try !key.publicKey.isValid(signature, for: [1, 2, 4]))
        #expect(try !PrivateKey.generate(algorithm).publicKey.isValid(signature, for: [1, 2, 3]))
    }

    @Test(arguments: Algorithm.allCases)
    func `a key survives its PEM form`(algorithm: Algorithm) throws {
        let key = try PrivateKey.generate(algorithm)
        let copy = try PrivateKey(pem: key.pem)
        #expect(copy.algorithm == algorithm)
        #expect(try PublicKey(pem: copy.publicKey.pem).isValid(key.sign([7]), for: [7]))
    }

    @Test func `a P-256 signature is r and s of 32 bytes each`() throws {
        let key = try PrivateKey.generate(.es256)
        for number in 0..<64 { #expect(try key.sign([UInt8(number)]).count == 64) }
    }

    @Test(arguments: ["", "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func `text that is no key is refused with a line`(text: String) throws {
        let error = #expect(throws: TokenSigningError.self) { try PrivateKey(pem: text) }
        #expect(error?.description.hasPrefix("not a private key in PEM form") == true)
    }

    @Test func `an encrypted key is refused instead of asking for its pass phrase`() {
        #expect(throws: TokenSigningError.self) { try PrivateKey(pem: Self.encrypted) }
    }

    @Test func `a key of another curve is refused`() {
        #expect(throws: TokenSigningError.self) { try PrivateKey(pem: Self.p384) }
    }

    /// Made for this test alone.
    private static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBZxQ6zRJ/6r0o3Sdfg
        JZIw0a4fpGzDcKb3JiOySwJyvJO9Q8/Jkqn9uyfpfQqMspuhZANiAASfgIcZ7JU/
        zTn7RMxRyNm/BDNpKOP+nLCABDnL0/AA+dWChhZtBlpt7/m1vqRDVRKYQlZMX6Gu
        jm/VaKXUsI6zfK9rEqJZLojlcaDHf8Fhg+PEGrI4OaVdHIVxiyaWCfc=
        -----END PRIVATE KEY-----
        """

    /// `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes-128-cbc -pass pass:test`
    private static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgAtI62nMWrWQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEK0/7LqUiuRUWgREGGzDD/gEgZCG
        +xaecj0mUP/pmSgOqv0dPwuBx5nl/ZUY0eXZAgFz+A2xsGFWOVSSX/TFg+b7roYQ
        fs1SE/Gpl+3PeL3Dl1zh6GuA9m0xpI9pY0+K5IE511VyZ/QmyNaShWc3cbHqcacp
        0HIJf3yHS5lZGecF2jYaieVg2DpSfPZVh0WOfZ6mBQQV+wJpj6UkRING5480E3c=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
