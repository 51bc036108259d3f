import AMQP
import Delivery
import LocalStack
import Messages
import TestSupport
import Testing

/// SIGTERM to a sender's process with requests in flight (decision B4).
@Suite(.privateServers, .serialized, .timeLimit(.minutes(3))) struct SenderStopTests {
    @Test func `a sender that is told to stop accounts for every hint it was given and ends in time (fault 1)`()
        async throws
    {
        try await RunningStack.with(settings: RunningStack.shortWaits) { running in
            let stack = running.stack
            // The prefetch has grown before it counts.
            var jobs = try await running.commitBoth()
            jobs += try await running.commitBoth()
            try await running.expectAllAccepted(jobs)
            try await stack.control.follow(
                script: """
                    {"rules":[{"match":{"provider":"apns"},"times":3,"do":{"delayMilliseconds":1000}},
                              {"match":{"provider":"apns"},"do":{"hang":true}}]}
                    """)
            for _ in 0..<4 { jobs += try await running.commitBoth() }
            #expect(try await eventually { try await stack.control.fitting().allSatisfy { $0 > 0 } })
            let clock = ContinuousClock()
            let took = await clock.measure {
                #expect(await stack.stop(.apnsSender) == [.exited(0)])
            }
            #expect(took < .seconds(20))

            let route = Route(provider: .apns, environment: "production", app: "cheqi")
            // What the tap sees comes a moment later, and the relay may still publish.
            let isAccountedFor = try await eventually {
                let hints = try stack.tap.hints(of: route)
                let answered = Set(try stack.tap.outcomes(of: route).map { Attempt(entry: $0.entry, seq: $0.seq) })
                let waiting = try await stack.waiting(in: route.queue)
                return answered.isSubset(of: hints) && waiting == hints.count - answered.count
            }
            #expect(isAccountedFor)
            let outcomes = try stack.tap.outcomes(of: route)
            let attempts = Set(outcomes.map { Attempt(entry: $0.entry, seq: $0.seq) })
            #expect(outcomes.count == attempts.count, "an attempt was answered twice")
            #expect(outcomes.contains { $0.kind == .ambiguous })

            // Another sender takes what is left, and nothing is lost.
            try await stack.control.follow(script: #"{"rules":[]}"#)
            try await stack.start(.apnsSender)
            try await running.expectEvidence(of: jobs)
        }
    }
}

/// One publish of one entry.
private struct Attempt: Hashable {
    let entry: Identifier
    let seq: Int
}

extension Tap {
    fileprivate func hints(of route: Route) throws -> Set<Attempt> {
        let hints = try sightings.filter { $0.type == "hint.v1" }.map { try Hint(decoding: $0.body) }
        return Set(hints.filter { $0.route == route }.map { Attempt(entry: $0.entry, seq: $0.seq) })
    }

    fileprivate func outcomes(of route: Route) throws -> [Outcome] {
        try sightings.filter { $0.type == "outcome.v1" }.map { try OutcomeBatch(decoding: $0.body) }
            .filter { $0.route == route }.flatMap(\.outcomes)
    }
}

extension Stack {
    /// Hints that wait in a queue and are with no consumer.
    fileprivate func waiting(in queue: String) async throws -> Int? {
        let publisher = Publisher(try ConnectionSettings(url: site.amqpURL), name: "test/waiting")
        return try await withThrowingTaskGroup { group in
            group.addTask { await publisher.run() }
            defer { group.cancelAll() }
            #expect(try await eventually { await publisher.isConnected })
            return try await publisher.counts(of: queue)?.ready
        }
    }
}
