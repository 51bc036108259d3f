import AMQP
import Daemon
import Delivery
import Messages

/// Collects the outcomes of one route into messages of 1 to 200, cut a few milliseconds after the first, and
/// acknowledges the hints that they are about once the message is safe.
actor OutcomeDesk {
    private struct Waiting {
        let outcome: Outcome
        let hint: AMQP.Delivery
        let continuation: CheckedContinuation<Void, Never>
    }

    private let route: Route
    private let instance: String
    private let publisher: ConfirmedPublisher
    private let consumer: Consumer
    private let limit: Int
    private let cut: Duration
    private var waiting: [Waiting] = []
    private var batch = 0

    /// The consumer's, as its `RouteSender`'s is.
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.unownedExecutor }

    init(
        route: Route, instance: String, publisher: ConfirmedPublisher, consumer: Consumer, settings: SendingSettings
    ) {
        self.route = route
        self.instance = instance
        self.publisher = publisher
        self.consumer = consumer
        limit = min(max(1, settings.batchLimit), OutcomeBatch.limit)
        cut = settings.batchCut
    }

    /// Returns once the outcome is safe with the broker and `hint` is acknowledged; or, unacknowledged, when the process
    /// gives up at its end.
    func report(_ outcome: Outcome, of hint: AMQP.Delivery) async {
        await withCheckedContinuation { continuation in
            waiting.append(Waiting(outcome: outcome, hint: hint, continuation: continuation))
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
        Task { [publisher, consumer] in
            if await publisher.publish(message) { await consumer.ack(taken.map(\.hint)) }
            for each in taken { each.continuation.resume() }
        }
    }
}
