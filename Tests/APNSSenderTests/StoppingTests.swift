import AMQP
import Daemon
import Delivery
import HTTP2
import LocalStack
import Messages
import Sending
import Synchronization
import TestSupport
import Testing

@testable import APNSSender

/// Holds answers back until the test says so.
private final class Gate: Sendable {
    private let shutdown = Shutdown()
    func open() { shutdown.request() }
    var reply: Reply {
        .later { exchange in
            await self.shutdown.wait()
            await exchange.answer(Response(status: 200))
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct StoppingTests {
    @Test func `requests under way at the stop get their outcome`() async throws {
        let gate = Gate()
        try await APNSRig.run(answer: { _ in gate.reply }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            #expect(try await eventually { rig.requests.count == 1 })
            rig.stop()
            gate.open()
            let kinds = try await rig.broker.kinds(1)
            #expect(kinds == [.accepted])
        }
    }

    @Test func `what is still open at the end is ambiguous (fault 4)`() async throws {
        try await APNSRig.run({ $0.requestTimeout = .milliseconds(500) }, answer: { _ in .never }) {
            (rig) async throws in
            try await rig.broker.publish(rig.hint())
            #expect(try await eventually { rig.requests.count == 1 })
            rig.stop()
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .ambiguous)
            #expect(["stopping", "timeout"].contains(outcome.reason))
        }
    }

    @Test func `after the stop the queue keeps what was not delivered`() async throws {
        try await APNSRig.run(answer: { _ in .accepted }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            #expect(try await rig.broker.outcomes(1).count == 1)
            rig.stop()
            #expect(try await rig.broker.comes(to: 0, consumersOf: APNSRig.route))
            try await rig.broker.publish(rig.hint())
            #expect(try await rig.broker.comes(to: 1, readyOf: APNSRig.route))
            #expect(rig.broker.outcomes.count == 1)
        }
    }

    /// A hint whose request is under way when the sender loses the broker; the answer comes after the break.
    private func withBreak(_ body: (APNSRig) async throws -> Void) async throws {
        let gate = Gate()
        let proxy = try TCPProxy(to: TestServers.amqpURL)
        defer { proxy.stop() }
        try await APNSRig.run(proxy: proxy, answer: { _ in gate.reply }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            #expect(try await eventually { rig.requests.count == 1 })
            proxy.cut()
            gate.open()
            try await body(rig)
        }
    }

    @Test func `a hint without an outcome is delivered again after a break (fault 1)`() async throws {
        try await withBreak { (rig) async throws in
            #expect(try await rig.broker.outcomes(2).map(\.redelivered).sorted { !$0 && $1 } == [false, true])
        }
    }

    @Test func `an outcome whose connection broke is published after the reconnect, nothing is sent twice (fault 37)`()
        async throws
    {
        try await withBreak { (rig) async throws in
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .accepted)
            #expect(try await rig.broker.comes(to: 0, readyOf: APNSRig.route))
            #expect(rig.requests.count == 1)
        }
    }
}
