import AMQP
import Testing

@Suite struct PrefetchPolicyTests {
    @Test func `each acknowledged window doubles it, up to the maximum`() {
        var policy = PrefetchPolicy(maximum: 5)
        var seen = [policy.current]
        for _ in 0..<12 where policy.acknowledged(1) { seen.append(policy.current) }
        #expect(seen == [1, 2, 4, 5])
    }

    @Test func `a start goes back to one`() {
        var policy = PrefetchPolicy(maximum: 100)
        _ = policy.acknowledged(1)
        policy.started()
        #expect(policy.current == 1)
    }

    @Test(arguments: [(0, 1), (1, 1), (2000, 2000), (5000, 2000)])
    func `the maximum is what a quorum queue allows`(_ asked: Int, _ given: Int) {
        #expect(PrefetchPolicy(maximum: UInt16(asked)).maximum == UInt16(given))
    }
}

@Suite struct ReconnectDelayTests {
    @Test(arguments: [(1, 100), (2, 200), (4, 800), (8, 10_000), (1_000, 10_000)])
    func `the delay doubles up to its cap`(_ failures: Int, _ milliseconds: Int) {
        #expect(ReconnectDelay().delay(afterFailures: failures, random: 0) == .milliseconds(milliseconds))
    }

    @Test func `jitter takes off up to half`() {
        #expect(ReconnectDelay().delay(afterFailures: 1, random: 0.5) == .milliseconds(75))
    }
}
