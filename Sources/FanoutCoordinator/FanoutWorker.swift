import AMQP
import Daemon
import Delivery
import Messages
import Postgres

/// Publishes what devices handed in: takes a submission, sends each recipient's message with confirm, then says so in
/// the database. After a crash anywhere between, somebody publishes the whole set again under the same ids.
struct FanoutWorker: Sendable {
    let store: CoordinatorStore
    let publisher: Publisher
    let configuration: Configuration
    let metrics: CoordinatorMetrics

    /// The job of an event; nothing if it is done or another has it.
    func work(on job: Identifier) async throws(PostgresError) {
        let taken = try await store.takeFanouts(
            of: job, age: .zero, hold: configuration.fanoutHold, atMost: 1)
        for one in taken { try await publish(one) }
    }

    /// What no event rang for; returns how many were taken.
    func sweep() async throws(PostgresError) -> Int {
        // Without a connection a taken row would only be kept from those who have one.
        guard await publisher.isConnected else { return 0 }
        let taken = try await store.takeFanouts(
            of: nil, age: configuration.unrungAfter, hold: configuration.fanoutHold, atMost: 8)
        let failure = await withTaskGroup(of: PostgresError?.self) { group in
            for one in taken {
                group.addTask {
                    do throws(PostgresError) {
                        try await publish(one)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let failure { throw failure }
        return taken.count
    }

    private func publish(_ taken: CoordinatorStore.Taken) async throws(PostgresError) {
        let fanout = taken.fanout
        let start = ContinuousClock.now
        if let obstacle = await publishAll(fanout) {
            metrics.unfinishedFanouts.add()
            Log.warning("fan-out not published whole", [.job: .of(fanout.job), .reason: .string(obstacle.reason)])
            if let error = obstacle.error { throw error }
            return try await store.release(fanout.job, pause: configuration.fanoutPause)
        }
        let isComplete = try await store.finish(taken)
        metrics.fanouts.add()
        metrics.fanoutSeconds.observe(.now - start)
        if isComplete { metrics.completedJobs.add() }
        Log.info("fanned out", [.job: .of(fanout.job), .recipients: .count(fanout.recipients.count)])
    }

    private struct Obstacle: Sendable {
        var reason: String
        /// Set if the database was in the way, not the broker.
        var error: PostgresError?
    }

    /// Nil once every recipient's message is confirmed; else the first thing that was in the way.
    private func publishAll(_ fanout: Fanout) async -> Obstacle? {
        await withTaskGroup(of: Obstacle?.self) { group in
            var rest = fanout.recipients[...]
            var first: Obstacle?
            for recipient in rest.prefix(configuration.publishWindow) {
                group.addTask { await publish(fanout, to: recipient) }
            }
            rest = rest.dropFirst(configuration.publishWindow)
            while let obstacle = await group.next() {
                if let obstacle { first = first ?? obstacle }
                if first == nil, let recipient = rest.popFirst() {
                    group.addTask { await publish(fanout, to: recipient) }
                }
            }
            return first
        }
    }

    private func publish(_ fanout: Fanout, to recipient: String) async -> Obstacle? {
        do throws(PostgresError) {
            guard let ciphertext = try await store.ciphertext(of: fanout.job, for: recipient) else {
                return Obstacle(reason: "a recipient's ciphertext is missing")
            }
            let content = fanout.message(to: recipient, ciphertext)
            var message = Message(
                exchange: "downstream", routingKey: content.key,
                messageID: Fanout.messageID(job: fanout.job, recipient: recipient).description,
                type: MessageType.downstream.rawValue, body: content.encoded(), timestamp: fanout.submittedAt)
            if let traceparent = fanout.traceparent {
                message.headers[Header.traceparent.rawValue] = .string(traceparent)
            }
            let result = await publisher.publish(message, deadline: .now + configuration.publishTimeout)
            guard result == .confirmed else { return Obstacle(reason: Self.words(result)) }
            metrics.messages.add()
            return nil
        } catch {
            return Obstacle(reason: error.description, error: error)
        }
    }

    private static func words(_ result: PublishResult) -> String {
        switch result {
        case .confirmed: "confirmed"
        case .nacked: "the broker refused it: a queue of `downstream` is full"
        case .returned(_, let text): "no queue takes it: \(text); run `mobile-delivery topology apply`"
        case .unknown(let reason), .notWritten(let reason): reason
        }
    }
}
