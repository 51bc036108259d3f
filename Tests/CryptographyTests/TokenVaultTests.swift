import Cryptography
import Testing

@Suite struct TokenVaultTests {
    private let first = #"{"write":"k1","keys":{"k1":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="}}"#
    private let second =
        #"{"write":"k2","keys":{"k1":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","k2":"AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="}}"#
    private let subject = TokenSubject(
        device: [UInt8](repeating: 7, count: 16), provider: "apns", app: "cheqi", environment: "sandbox")

    private func vault(sealing: String, fingerprint: String) throws -> TokenVault {
        TokenVault(keys: try TokenKeys(json: #"{"sealing":\#(sealing),"fingerprint":\#(fingerprint)}"#))
    }

    @Test func `a sealed token opens for its subject only`() throws {
        let vault = try vault(sealing: first, fingerprint: first)
        let sealed = vault.seal("abcdef", for: subject)
        #expect(try vault.open(sealed.bytes, keyID: sealed.keyID, for: subject) == "abcdef")
        for change in [\TokenSubject.provider, \.app, \.environment] {
            var other = subject
            other[keyPath: change] += "x"
            #expect(throws: TokenVaultError.doesNotOpen) {
                try vault.open(sealed.bytes, keyID: sealed.keyID, for: other)
            }
        }
    }

    @Test func `a token sealed before the writing key changed still opens`() throws {
        let sealed = try vault(sealing: first, fingerprint: first).seal("abc", for: subject)
        let later = try vault(sealing: second, fingerprint: first)
        #expect(try later.open(sealed.bytes, keyID: sealed.keyID, for: subject) == "abc")
        #expect(later.seal("abc", for: subject).keyID == "k2")
    }

    @Test func `an unknown key id is named`() throws {
        let vault = try vault(sealing: first, fingerprint: first)
        #expect(throws: TokenVaultError.unknownKey("k9")) { try vault.open([], keyID: "k9", for: subject) }
    }

    @Test func `a fingerprint is stable, keyed, and known under every key`() throws {
        let old = try vault(sealing: first, fingerprint: first)
        let new = try vault(sealing: first, fingerprint: second)
        #expect(old.fingerprint(of: "t") == old.fingerprint(of: "t"))
        #expect(old.fingerprint(of: "t").bytes != new.fingerprint(of: "t").bytes)
        #expect(new.fingerprints(of: "t").contains(old.fingerprint(of: "t")))
        #expect(new.fingerprints(of: "t").first == new.fingerprint(of: "t"))
    }

    @Test(arguments: [
        ("", TokenKeysError.notJSON),
        (
            #"{"sealing":{"write":"k","keys":{}},"fingerprint":{"write":"k","keys":{}}}"#,
            .writingKeyMissing(ring: "sealing")
        ),
        (
            #"{"sealing":{"write":"k","keys":{"k":"AQ=="}},"fingerprint":{"write":"k","keys":{}}}"#,
            .badKey(ring: "sealing", id: "k")
        ),
    ])
    func `bad keys are refused with what is wrong`(json: String, error: TokenKeysError) {
        #expect(throws: error) { try TokenKeys(json: json) }
    }

    @Test func `generated keys are readable`() throws {
        #expect(try TokenKeys(json: TokenKeys.random()).sealing.writing.id == "k1")
    }
}
