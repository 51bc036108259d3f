import Delivery
import HTTP2
import Testing

@testable import FCMSender

struct FCMAnswerResponseTests {
    private func answer(_ status: Int, _ body: String, _ headers: Headers = [:]) -> FCMAnswer {
        FCMAnswer(Response(status: status, headers: headers, body: Array(body.utf8)), now: 0)
    }

    @Test func `the name of a success is read`() {
        #expect(answer(200, #"{"name":"projects/p/messages/1"}"#).name == "projects/p/messages/1")
    }

    @Test func `an unregistered token is found in the details`() {
        let body = #"""
            {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":
            [{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}
            """#
        #expect(answer(404, body).errorCode == "UNREGISTERED")
        #expect(answer(404, body).judgement.verdict == .tokenDead(since: nil))
    }

    @Test func `violated fields and quotas are read (fault 36)`() {
        let body = #"""
            {"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[
            {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":
            [{"field":"message.token","description":"Invalid registration token"}]},
            {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":
            [{"subject":"device:1","description":"rate"}]}]}}
            """#
        #expect(answer(400, body).violatedFields == ["message.token"])
        #expect(answer(400, body).quotas == ["device:1 rate"])
        #expect(answer(400, body).message == "m")
    }

    @Test(arguments: [
        "", "<html>Error 502 (Server Error). Try again in 30 seconds.</html>", "[1]", "{", #"{"error":7}"#,
    ])
    func `a body of any other form leaves the status`(body: String) {
        #expect(answer(502, body, ["retry-after": "30"]) == FCMAnswer(status: 502, retryAfter: 30))
    }
}
