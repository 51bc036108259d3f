import AMQP
import Daemon
import Delivery
import Messages

/// Collects the outcomes of one route into messages of 1 to 200, cut a few milliseconds after the first.
actor OutcomeDesk {
    private struct Waiting {
        let outcome: Outcome
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let route: Route
    private let instance: String
    private let publisher: ConfirmedPublisher
    private let limit: Int
    private let cut: Duration
    private var waiting: [Waiting] = []
    private var batch = 0

    init(route: Route, instance: String, publisher: ConfirmedPublisher, settings: SendingSettings) {
        self.route = route
        self.instance = instance
        self.publisher = publisher
        limit = min(max(1, settings.batchLimit), OutcomeBatch.limit)
        cut = settings.batchCut
    }

    /// Returns whether the outcome is safe with the broker; false only when the process gives up at its end.
    func report(_ outcome: Outcome) async -> Bool {
        await withCheckedContinuation { continuation in
            waiting.append(Waiting(outcome: outcome, continuation: continuation))
            if waiting.count >= limit {
                send()
            } else if waiting.count == 1 {
                let number = batch
                Task {
                    try? await Task.sleep(for: cut)
                    if batch == number { send() }
                }
            }
        }
    }

    private func send() {
        batch += 1
        guard !waiting.isEmpty else { return }
        let taken = waiting
        waiting = []
        let body = OutcomeBatch(instance: instance, route: route, outcomes: taken.map(\.outcome)).encoded()
        let message = Message(
            exchange: "results", routingKey: route.outcomeKey, messageID: Identifier.random().description,
            type: MessageType.outcome.rawValue, body: body, timestamp: UInt64(max(0, Instant.now() / 1000)))
        let publisher = publisher
        Task {
            let isSafe = await publisher.publish(message)
            for each in taken { each.continuation.resume(returning: isSafe) }
        }
    }
}
