import Delivery
import Testing

struct BackoffTests {
    @Test(arguments: [
        (0, 2), (1, 4), (2, 8), (3, 16), (4, 32), (5, 64), (6, 128), (7, 256), (8, 512), (9, 900), (10, 900),
        (1_000_000, 900),
    ])
    func `the ceiling doubles from 2 s to 15 min`(failures: Int, seconds: Int) {
        #expect(Backoff().ceiling(failures: failures) == .seconds(seconds))
    }

    @Test(arguments: [(0.0, 0.0), (0.5, 4.0), (1.0, 8.0)])
    func `jitter takes any part of the ceiling`(jitter: Double, seconds: Double) {
        #expect(Backoff().delay(failures: 2, jitter: jitter) == .seconds(seconds))
    }

    @Test func `a floor is never undercut and never lengthens a longer wait (fault 32)`() {
        #expect(Backoff().delay(failures: 0, floor: .seconds(60), jitter: 1) == .seconds(60))
        #expect(Backoff().delay(failures: 7, floor: .seconds(60), jitter: 1) == .seconds(256))
    }

    @Test func `after the last step nothing changes any more`() {
        #expect(Backoff().ceiling(failures: Backoff.steps - 1) == Backoff().ceiling(failures: Backoff.steps))
    }

    typealias Answer = (provider: Provider, status: Int?, reason: String?, retryAfter: Int?, seconds: Int)

    @Test(
        arguments: [
            (.apns, 429, "TooManyRequests", nil, 120), (.apns, 429, "TooManyRequests", 300, 300),
            (.apns, 429, "TooManyProviderTokenUpdates", nil, 0), (.apns, 503, "ServiceUnavailable", nil, 0),
            (.apns, 503, nil, 7, 7), (.apns, 500, nil, 1_000_000, 3600), (.fcm, 429, "QUOTA_EXCEEDED", nil, 60),
            (.fcm, 429, "QUOTA_EXCEEDED", 5, 5), (.fcm, 503, "UNAVAILABLE", nil, 10), (.fcm, 503, "UNAVAILABLE", 3, 10),
            (.fcm, 500, "INTERNAL", 90, 90), (.fcm, nil, nil, nil, 0), (.apns, nil, nil, -5, 0),
        ] as [Answer])
    func `each provider has its floors`(answer: Answer) {
        let floor = Backoff().floor(
            provider: answer.provider, status: answer.status, reason: answer.reason, retryAfter: answer.retryAfter)
        #expect(floor == .seconds(answer.seconds))
    }
}
