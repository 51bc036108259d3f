import Daemon
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServiceGroupTests {
    /// Notes when it starts and ends.
    private struct Recorder: Service {
        let name: String
        let events: Events
        var failure: Broken?

        func run() async throws {
            events.note("\(name) runs")
            if let failure { throw failure }
            await Shutdown.current.wait()
            events.note("\(name) ends")
        }
    }

    private final class Events: Sendable {
        private let list = Mutex<[String]>([])
        func note(_ event: String) { list.withLock { $0.append(event) } }
        var all: [String] { list.withLock { $0 } }
    }

    private struct Broken: Error, Equatable {}

    @Test func `services stop in reverse order`() async throws {
        let events = Events()
        let shutdown = Shutdown()
        shutdown.request()
        try await ServiceGroup(["a", "b", "c"].map { Recorder(name: $0, events: events) }).run(until: shutdown)
        #expect(events.all.filter { $0.hasSuffix("ends") } == ["c ends", "b ends", "a ends"])
    }

    @Test func `one that fails stops the others and its error comes out`() async {
        let events = Events()
        let group = ServiceGroup([
            Recorder(name: "a", events: events), Recorder(name: "b", events: events, failure: Broken()),
        ])
        await #expect(throws: Broken.self) { try await group.run(until: Shutdown()) }
        #expect(events.all.last == "a ends")
    }

    @Test func `one that does not stop is cancelled at the limit`() async throws {
        let shutdown = Shutdown()
        shutdown.request()
        let group = ServiceGroup(
            [ServiceTask("deaf") { for await _ in AsyncStream<Void>.makeStream().stream {} }],
            stopWithin: .milliseconds(20))
        try await group.run(until: shutdown)
    }

    @Test func `one that returns by itself ends the group`() async throws {
        let events = Events()
        try await ServiceGroup([Recorder(name: "a", events: events), ServiceTask("done") {}]).run(until: Shutdown())
        #expect(events.all == ["a runs", "a ends"])
    }
}
