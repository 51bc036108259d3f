import Delivery
import HTTP2
import Testing

@testable import APNSSender

struct APNSAnswerResponseTests {
    private func answer(_ status: Int, _ body: String, _ headers: Headers = [:]) -> APNSAnswer {
        APNSAnswer(Response(status: status, headers: headers, body: Array(body.utf8)), now: 784_111_777)
    }

    @Test func `reason and timestamp are read`() {
        let answer = answer(410, #"{"reason":"Unregistered","timestamp":1700000000123}"#)
        #expect(answer == APNSAnswer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123))
    }

    @Test(arguments: ["", "<html><body>502</body></html>", "{", "[]", #"{"reason":7}"#, #""Forbidden""#])
    func `a body of any other form leaves the status`(body: String) {
        #expect(answer(502, body) == APNSAnswer(status: 502))
    }

    @Test func `Retry-After is read in both forms`() {
        #expect(answer(503, "", ["retry-after": "17"]).retryAfter == 17)
        #expect(answer(503, "", ["retry-after": "Sun, 06 Nov 1994 08:50:37 GMT"]).retryAfter == 60)
        #expect(answer(503, "", ["retry-after": "soon"]).retryAfter == nil)
    }
}
