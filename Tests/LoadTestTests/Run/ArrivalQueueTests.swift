import Delivery
import Testing

@testable import LoadTest

@Suite struct ArrivalQueueTests {
    private let queue = ArrivalQueue(
        [0, 10, 20, 30].map { Arrival(job: .random(), at: $0, account: 0) }, epoch: 100)

    @Test func `arrivals are handed out when their time has come, at most so many, each once`() {
        #expect(queue.take(2, now: 95) == .wait(5))
        #expect(queue.take(2, now: 125) == .jobs(0..<2))
        #expect(queue.take(2, now: 125) == .jobs(2..<3))
        #expect(queue.take(2, now: 125) == .wait(5))
        #expect(queue.take(2, now: 500) == .jobs(3..<4))
        #expect(queue.take(2, now: 500) == .done)
    }
}
