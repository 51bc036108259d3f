import Delivery
import Testing

struct DeferralClassTests {
    @Test(arguments: [
        ("", DeferralClass.token), ("deferred 503 ServiceUnavailable", .provider),
        ("token_dead 410 Unregistered", .provider),
        ("ambiguous timeout", .ambiguous), ("token_suspect:0a1b", .tokenSuspect), ("returned_late", .returned),
        ("returned_paused key", .returned), ("returned by the broker: 312 NO_ROUTE", .broker),
        ("nacked by the broker", .broker), ("the destination refuses", .broker), ("something new", .other),
    ])
    func `a metric's label has few values, whatever was said`(_ text: String, _ expected: DeferralClass) {
        #expect(DeferralClass(lastError: text) == expected)
    }
}
