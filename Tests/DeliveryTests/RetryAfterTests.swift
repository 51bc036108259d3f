import Delivery
import Testing

struct RetryAfterTests {
    /// 1994-11-06 08:49:37 UTC
    private static let then: Int64 = 784_111_777

    @Test(arguments: zip(["0", "7", " 120 ", "3600", "3601", "99999999999999999999"], [0, 7, 120, 3600, 3600, 3600]))
    func `a number is seconds, cut at an hour (fault 33)`(text: String, seconds: Int) {
        #expect(RetryAfter.seconds(text, now: 0) == seconds)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `all three forms of a date are understood`(text: String) {
        #expect(RetryAfter.date(text) == Self.then)
        #expect(RetryAfter.seconds(text, now: Self.then - 60) == 60)
    }

    @Test(arguments: zip([Self.then, Self.then + 1, Self.then - 7200], [0, 0, 3600]))
    func `a date that has passed is now and a far one is cut`(now: Int64, seconds: Int) {
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", now: now) == seconds)
    }

    @Test(
        arguments: zip(
            ["Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 29 Feb 2024 23:59:59 GMT", "Fri, 01 Mar 2024 00:00:00 GMT"],
            [0, 1_709_251_199, 1_709_251_200] as [Int64]))
    func `the calendar knows leap days`(text: String, instant: Int64) {
        #expect(RetryAfter.date(text) == instant)
    }

    @Test(arguments: [
        "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:00:00 GMT", "06 Nov 1994",
    ])
    func `anything else is no wish`(text: String) {
        #expect(RetryAfter.seconds(text, now: 0) == nil)
    }
}
