import Delivery
import Testing

@Suite struct RelayQueueFlowTests {
    private let start = ContinuousClock.now

    private func flow(ready: Int?, consumers: Int = 1, _ change: (inout RelayQueueFlow) -> Void = { _ in })
        -> RelayQueueFlow
    {
        var flow = RelayQueueFlow()
        change(&flow)
        flow.asking()
        flow.answered(ready: ready, consumers: consumers, askedAt: start)
        return flow
    }

    private func capacity(_ flow: RelayQueueFlow, after age: Duration = .zero) -> Int {
        flow.capacity(at: start + age, freshFor: .seconds(3))
    }

    @Test func `an unknown queue, one without a consumer and an old answer have no room`() {
        #expect(capacity(RelayQueueFlow()) == 0)
        #expect(capacity(flow(ready: nil)) == 0)
        #expect(capacity(flow(ready: 0, consumers: 0)) == 0)
        #expect(capacity(flow(ready: 0), after: .seconds(4)) == 0)
        #expect(capacity(flow(ready: 0)) == 100)
    }

    @Test func `ready, unconfirmed and newly confirmed all take room`() {
        var flow = flow(ready: 10)
        flow.claimed(20)
        #expect(capacity(flow) == 70)
        flow.confirmed()
        flow.confirmed()
        #expect(capacity(flow) == 70)
        flow.notQueued()
        #expect(capacity(flow) == 71)
    }

    @Test func `an answer counts what was confirmed before its question`() {
        var flow = flow(ready: 0)
        flow.claimed(30)
        for _ in 0..<30 { flow.confirmed() }
        flow.asking()
        flow.answered(ready: 30, consumers: 1, askedAt: start)
        #expect(capacity(flow) == 70)
    }

    @Test func `the cap follows what left the queue, within limits`() {
        var flow = flow(ready: 0)
        var caps: [Int] = []
        for step in 1...7 {
            let room = flow.capacity(at: start, freshFor: .seconds(3))
            flow.claimed(room)
            for _ in 0..<room { flow.confirmed() }
            flow.asking()
            flow.answered(ready: 0, consumers: 1, askedAt: start + .milliseconds(step))
            caps.append(flow.cap)
        }
        #expect(caps == [100, 200, 400, 800, 1600, 3200, 5000])
    }

    @Test func `what left long ago is forgotten`() {
        var flow = flow(ready: 3000)
        flow.asking()
        flow.answered(ready: 0, consumers: 1, askedAt: start)
        #expect(flow.cap == 3000)
        flow.asking()
        flow.answered(ready: 0, consumers: 1, askedAt: start + .seconds(31))
        #expect(flow.cap == 100)
    }
}
