import Testing

@testable import DeviceGateway

@Suite struct TokenBucketTests {
    @Test func `a full bucket empties and says how long to wait`() {
        let start = ContinuousClock.now
        var bucket = TokenBucket(rate: 2, burst: 3, now: start)
        #expect((0..<3).allSatisfy { _ in bucket.take(now: start) == nil })
        #expect(bucket.take(now: start) == .seconds(0.5))
        #expect(bucket.take(now: start + .milliseconds(500)) == nil)
    }

    @Test func `it never holds more than its burst`() {
        let start = ContinuousClock.now
        var bucket = TokenBucket(rate: 100, burst: 2, now: start)
        let later = start + .seconds(3_600)
        #expect((0..<2).allSatisfy { _ in bucket.take(now: later) == nil })
        #expect(bucket.take(now: later) != nil)
    }
}
