import LocalStack
import TestSupport
import Testing

/// The whole system, every service a process of its own. One stack at a time: each wants the machine.
@Suite(.privateServers, .serialized, .timeLimit(.minutes(5))) struct StackTests {
    @Test func `a receipt and a credit note go all the way`() async throws {
        try await RunningStack.with { running in
            let jobs = try await running.commitBoth()
            try await running.expectEvidence(of: jobs)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a service that is killed on the way and started again changes nothing of the outcome`(
        _ kind: ServiceKind
    ) async throws {
        try await RunningStack.with(settings: RunningStack.shortWaits) { running in
            async let first = running.commitBoth()
            await running.stack.kill(kind)
            let jobs = try await first
            let others = try await running.commitBoth()
            try await running.stack.start(kind)
            // Phones that could not reach the gateway try again when their owner opens the app.
            if kind == .gateway { try await running.phones.foregroundSync() }
            try await running.expectEvidence(of: jobs + others)
        }
    }

    @Test func `two of every service complete every job and send no entry twice`() async throws {
        try await RunningStack.with(copies: 2) { running in
            var jobs: [String] = []
            for _ in 0..<5 { jobs += try await running.commitBoth() }
            try await running.expectEvidence(of: jobs)
            let sent = try await running.sentEntries()
            #expect(sent.count == jobs.count * 2)
            #expect(Set(sent).count == sent.count)
        }
    }

    @Test func `R-10, R-64: with every hint dropped, one foreground sync a phone completes every job`() async throws {
        try await RunningStack.with { running in
            try await running.stack.control.dropEveryHint()
            let jobs = try await running.commitBoth()
            try await running.expectAllAccepted(jobs)
            try await running.phones.foregroundSync()
            try await running.expectEvidence(of: jobs)
        }
    }

    @Test func `every message on the broker validates against its schema`() async throws {
        try await RunningStack.with { running in
            try await running.expectEvidence(of: try await running.commitBoth())
            try running.expectValidMessages()
        }
    }
}
