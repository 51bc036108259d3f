import Daemon
import FoundationEssentials
import Testing
import TokenSigning

@testable import APNSSender

struct ProviderTokensTests {
    private func file(_ text: String) -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).p8").path
        write(text, to: path)
        return path
    }

    private func write(_ text: String, to path: String) {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
    }

    @Test func `all callers get the same token, signed with the team's key (fault 27)`() throws {
        let key = try PrivateKey.generate(.es256)
        let tokens = try ProviderTokens(teamID: "DEF123GHIJ", keyID: "ABC123DEFG", keyFile: file(key.pem))
        let token = try #require(tokens.token())
        for _ in 0..<100 { #expect(tokens.token() == token) }
        tokens.renew()
        #expect(tokens.token() == token)
        let verified = try JSONWebToken.verified(token, with: key.publicKey)
        #expect(verified.keyID == "ABC123DEFG")
        let claims: ProviderTokenClaims = try verified.decoded()
        #expect(claims.iss == "DEF123GHIJ")
        #expect(abs(Int64(claims.iat) - Instant.now() / 1000) < 60)
    }

    @Test func `another key in the file makes another token`() throws {
        let path = file(try PrivateKey.generate(.es256).pem)
        let tokens = try ProviderTokens(teamID: "DEF123GHIJ", keyID: "ABC123DEFG", keyFile: path)
        let old = tokens.token()
        let next = try PrivateKey.generate(.es256)
        write(next.pem, to: path)
        #expect(tokens.reload())
        #expect(!tokens.reload())
        let token = try #require(tokens.token())
        #expect(token != old)
        #expect((try? JSONWebToken.verified(token, with: next.publicKey)) != nil)
    }

    @Test func `a broken file read again keeps the key that works`() throws {
        let path = file(try PrivateKey.generate(.es256).pem)
        let tokens = try ProviderTokens(teamID: "DEF123GHIJ", keyID: "ABC123DEFG", keyFile: path)
        let old = tokens.token()
        write("half a ke", to: path)
        tokens.reload()
        #expect(tokens.token() == old)
    }

    @Test func `a file that is no such key is refused with its name`() throws {
        let rsa = file(try PrivateKey.generate(.rs256).pem)
        for path in [file("nonsense"), rsa, "/nowhere/key.p8"] {
            let failure = #expect(throws: CommandFailure.self) {
                try ProviderTokens(teamID: "DEF123GHIJ", keyID: "ABC123DEFG", keyFile: path)
            }
            #expect(failure?.line.contains(path) == true)
        }
    }
}
