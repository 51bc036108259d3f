import AMQP
import Daemon
import Delivery
import Messages
import Postgres

/// Consumes `coordinator.events`. An event is acknowledged once its work is committed, or is sure to be found by a sweep;
/// a message that cannot be read goes to the dead-letter queue; while the database is away nothing is consumed.
struct EventLoop: Sendable {
    let consumer: Consumer
    let publisher: Publisher
    let worker: FanoutWorker
    let configuration: Configuration
    let metrics: CoordinatorMetrics

    /// Until the stop is requested and what was delivered has been worked on.
    func run() async {
        let shutdown = Shutdown.current
        // The pump alone is cancelled at the stop: what it has handed on is still finished.
        let (deliveries, continuation) = AsyncStream<AMQP.Delivery>.makeStream()
        let pump = Task {
            while let delivery = await consumer.next() { continuation.yield(delivery) }
            continuation.finish()
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await shutdown.wait()
                await consumer.pause()
                pump.cancel()
            }
            // Bounded by the prefetch.
            for await delivery in deliveries { group.addTask { await handle(delivery) } }
        }
    }

    private func handle(_ delivery: AMQP.Delivery) async {
        let bell: Doorbell
        do throws(MessageError) {
            bell = try Doorbell(type: delivery.type, body: delivery.body)
        } catch {
            return await bury(MalformedMessage(delivery: delivery, error: error))
        }
        guard await answer(bell) else { return }
        await consumer.ack(delivery)
    }

    /// False if the stop came first: the message goes back to the queue.
    private func answer(_ bell: Doorbell) async -> Bool {
        var failures = 0
        while true {
            do throws(PostgresError) {
                try await act(on: bell)
                if failures > 0, !Shutdown.current.isRequested { await consumer.resume() }
                return true
            } catch {
                guard error.isRetriable || error.isConfigurationFault else {
                    // Trying again at once would end the same way; the row still says what has to be done.
                    metrics.failedEvents.add()
                    Log.error("event failed", [.cause: .string("\(error)")])
                    return true
                }
                await consumer.pause()
                failures += 1
                Log.warning("event waits for the database", [.cause: .string("\(error)")])
                let pause = min(Duration.seconds(5), .milliseconds(100) * (1 << min(failures, 10)))
                guard await Shutdown.current.sleep(for: pause) else { return false }
            }
        }
    }

    private func act(on bell: Doorbell) async throws(PostgresError) {
        let store = worker.store
        switch bell {
        case .submitted(let job):
            try await worker.work(on: job)
        case .cancelled(let job):
            metrics.cancelledJobs.add(try await store.finishCancellations(of: job, age: .zero, atMost: 1))
        case .revoked(let device):
            while let done = try await store.finishRevocation(of: device, age: .zero, atMost: configuration.batch) {
                metrics.count(done)
                if !done.more { break }
            }
        case .notForUs:
            return metrics.ignoredEvents.add()
        }
        metrics.events.add()
    }

    private func bury(_ malformed: MalformedMessage) async {
        metrics.malformedEvents.add()
        Log.warning(
            "event cannot be read",
            [.messageID: .string(malformed.delivery.messageID), .reason: .string(malformed.error.description)])
        let result = await publisher.publish(
            malformed.message(now: Instant.now()), deadline: .now + configuration.publishTimeout)
        if result == .confirmed {
            await consumer.ack(malformed.delivery)
        } else {
            // The broker moves it there itself, without our reason.
            await consumer.reject(malformed.delivery)
        }
    }
}

extension CoordinatorMetrics {
    func count(_ revocation: CoordinatorStore.Revocation) {
        if !revocation.more { revokedDevices.add() }
        openedLeases.add(revocation.leases)
        completedJobs.add(revocation.completed)
    }
}
