import AMQP
import Synchronization

/// A reader of `events` that is none of our services, with a queue of its own: what it saw, by message id.
final class Outsider: Sendable {
    let tap: BrokerTap
    private let ids = Mutex<Set<String>>([])

    init(_ number: Int, url: String) {
        tap = BrokerTap(url: url, queue: "events.x.load-\(number)", exchange: "events", key: "#")
    }

    func run() async throws {
        try await tap.run { [self] message in ids.withLock { _ = $0.insert(message.messageID) } }
    }

    func has(_ id: String) -> Bool { ids.withLock { $0.contains(id) } }
}
