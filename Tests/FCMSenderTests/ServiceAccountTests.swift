import Daemon
import Testing
import TokenSigning

@testable import FCMSender

struct ServiceAccountTests {
    private func read(_ text: String) throws -> ServiceAccount {
        try ServiceAccount(json: Array(text.utf8), file: "/run/sa.json")
    }

    private func quoted(_ pem: String) -> String { pem.split(separator: "\n").joined(separator: "\\n") }

    @Test func `the console's file is read`() throws {
        let pem = quoted(try PrivateKey.generate(.rs256).pem)
        let account = try read(
            #"{"type":"service_account","client_email":"a@b","private_key":"\#(pem)","private_key_id":"k","token_uri":"https://t/"}"#
        )
        #expect(account.clientEmail == "a@b")
        #expect(account.keyID == "k")
        #expect(account.tokenURI == "https://t/")
        let plain = try read(#"{"client_email":"a@b","private_key":"\#(pem)"}"#)
        #expect(plain.tokenURI == "https://oauth2.googleapis.com/token")
    }

    @Test(arguments: ["", "[]", #"{"client_email":"a"}"#, #"{"client_email":"a","private_key":"x"}"#])
    func `any other file is refused with its name and without its content`(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try read(text) }
        #expect(failure?.status == .configuration)
        #expect(failure?.line.hasPrefix("/run/sa.json: ") == true)
    }

    @Test func `an elliptic key is refused`() throws {
        let pem = quoted(try PrivateKey.generate(.es256).pem)
        #expect(throws: CommandFailure.self) { try read(#"{"client_email":"a","private_key":"\#(pem)"}"#) }
    }
}
