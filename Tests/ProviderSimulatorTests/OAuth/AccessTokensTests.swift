import HTTP2
import Testing
import TokenSigning

@testable import ProviderSimulator

struct AccessTokensTests {
    @Test func `a good assertion is exchanged for an hour`() throws {
        var bench = try Bench()
        let answer = bench.treat(Bench.oauth(try Bench.assertion())).answer
        #expect(answer.status == 200)
        #expect(answer.json["expires_in"] == 3599)
        #expect(answer.json["token_type"] == "Bearer")
        #expect(answer.json["access_token"]?.string?.hasPrefix("ya29.") == true)
    }

    @Test func `Google's own address is a good audience too`() throws {
        var bench = try Bench()
        let assertion = try Bench.assertion(audience: "https://oauth2.googleapis.com/token")
        #expect(bench.treat(Bench.oauth(assertion)).answer.isAccepted)
    }

    @Test(arguments: [
        ("grant", "unsupported_grant_type"), ("garbage", "invalid_grant"), ("email", "invalid_grant"),
        ("signer", "invalid_grant"), ("audience", "invalid_grant"), ("scope", "invalid_scope"),
        ("long", "invalid_grant"), ("old", "invalid_grant"), ("future", "invalid_grant"),
    ])
    func `a wrong assertion is refused in Google's words`(fault: String, error: String) throws {
        var bench = try Bench()
        let request =
            switch fault {
            case "grant": Bench.oauth(try Bench.assertion(), grant: "password")
            case "garbage": Bench.oauth("x.y.z")
            case "email": Bench.oauth(try Bench.assertion(email: "nobody@example.com"))
            case "signer": Bench.oauth(try Bench.assertion(with: try PrivateKey.generate(.rs256)))
            case "audience": Bench.oauth(try Bench.assertion(audience: "https://elsewhere.example/token"))
            case "scope": Bench.oauth(try Bench.assertion(scope: "email"))
            case "long": Bench.oauth(try Bench.assertion(lifetime: 3601))
            case "old": Bench.oauth(try Bench.assertion(issuedAt: Bench.start - 3600))
            default: Bench.oauth(try Bench.assertion(issuedAt: Bench.start + 301))
            }
        let answer = bench.treat(request).answer
        #expect(answer.status == 400)
        #expect(answer.json["error"]?.string == error)
    }

    @Test func `the endpoint can be scripted, but only by name`() throws {
        var bench = try Bench()
        bench.world.script = try Script(parsing: Array(#"{"rules":[{"do":{"answer":"Shutdown"}}]}"#.utf8))
        #expect(bench.treat(Bench.oauth(try Bench.assertion())).answer.isAccepted)
        bench.world.script = try Script(
            parsing: Array(#"{"rules":[{"match":{"provider":"oauth"},"do":{"answer":"invalid_grant"}}]}"#.utf8))
        #expect(bench.treat(Bench.oauth(try Bench.assertion())).answer.reason == "invalid_grant")
    }

    @Test func `revoked access tokens are refused`() throws {
        var bench = try Bench()
        let access = try bench.accessToken()
        bench.world.script = try Script(
            parsing: Array(
                #"{"rules":[{"match":{"provider":"oauth"},"do":{"revokeAccessTokens":true}}]}"#.utf8))
        _ = bench.treat(Bench.oauth(try Bench.assertion()))
        #expect(bench.treat(Bench.fcm(access: access)).answer.reason == "UNAUTHENTICATED")
    }

    @Test func `form fields are unescaped`() {
        #expect(FormFields.decode(Array("a=1%2B2&b=x+y&c&a=3".utf8)) == ["a": "3", "b": "x y", "c": ""])
    }
}
