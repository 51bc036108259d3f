import Delivery
import Testing

@testable import FCMSender

struct TokenEndpointAnswerTests {
    private func answer(_ status: Int, _ body: String) -> TokenEndpointAnswer {
        TokenEndpointAnswer(status: status, body: Array(body.utf8))
    }

    @Test func `a token is read with its life`() {
        #expect(
            answer(200, #"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#)
                == .token("ya29.x", seconds: 3599))
    }

    @Test(arguments: ["", "{}", "<html>", #"{"access_token":""}"#, #"{"access_token":"a\r\nb"}"#])
    func `a success without a usable token is temporary`(body: String) {
        guard case .temporary = answer(200, body) else {
            Issue.record("not temporary")
            return
        }
    }

    @Test(arguments: ["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope"])
    func `a refused service account pauses its credential`(error: String) {
        let refused = answer(400, #"{"error":"\#(error)","error_description":"x"}"#)
        #expect(refused == .refused(status: 400, reason: error))
        #expect(refused.judgement.verdict == .pauseRoute(.credential))
    }

    @Test(arguments: [429, 500, 502, 503])
    func `an endpoint in trouble is asked again`(status: Int) {
        #expect(answer(status, "<html>").judgement.verdict == .retryNow(thenPause: false))
    }

    @Test(arguments: [401, 403, 404])
    func `any other refusal pauses`(status: Int) {
        #expect(answer(status, "").judgement.verdict == .pauseRoute(.credential))
    }
}
