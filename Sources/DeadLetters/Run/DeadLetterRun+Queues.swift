import AMQP
public import Daemon
import Operations
import Postgres

extension DeadLetterRun {
    /// After the letters, their messages: one pass through each queue that has one to replay, and through each of which at
    /// least half is copies of letters that this run closed. Others keep theirs until `dead sweep`, so that the replay of
    /// one hint does not move a million.
    func pass(
        _ found: Found, _ change: Int64, _ pace: inout ReplayPace?, _ shutdown: Shutdown, _ result: inout Result
    ) async throws {
        guard let broker, !result.isInterrupted else { return }
        for queue in DeadQueue.indexed {
            let messages = found.messages[queue] ?? []
            let closed = found.closed[queue] ?? 0
            if !messages.isEmpty {
                let pass = try await LetterPass(site, broker, queue, change: change).run(
                    replaying: messages, pace: &pace, until: shutdown)
                result.messages += pass.replayed
                result.removed += pass.removed
            }
            if closed > 0, let depth = try await depth(of: queue, broker), closed * 2 >= depth {
                var unhurried: ReplayPace?
                let pass = try await LetterPass(site, broker, queue, change: change).run(
                    replaying: [], pace: &unhurried, until: shutdown)
                result.removed += pass.removed
            }
            if shutdown.isRequested { result.isInterrupted = true }
        }
    }

    private func depth(of queue: DeadQueue, _ broker: AMQP.ConnectionSettings) async throws -> Int? {
        let questions = BrokerQuestions(broker)
        let answer = await questions.ask([queue.rawValue])
        await questions.close()
        guard case .counts(let counts) = answer[queue.rawValue] else { return nil }
        return counts.ready
    }

    /// Takes the copies of closed letters out of every dead-letter queue, or out of one.
    public func sweep(_ queue: DeadQueue?, until shutdown: Shutdown) async throws -> Result {
        guard let broker else { throw Self.noBroker }
        return try await audited("dead sweep", subject: queue?.rawValue ?? "all queues") { change, result in
            for each in DeadQueue.indexed where queue == nil || each == queue {
                var pace: ReplayPace?
                let pass = try await LetterPass(site, broker, each, change: change).run(
                    replaying: [], pace: &pace, until: shutdown)
                result.removed += pass.removed
            }
            result.isInterrupted = shutdown.isRequested
        }
    }

    /// Replays or discards what lies in `parking`: to the queue that failed, all of it or what died for `reason` (its
    /// beginning).
    public func parked(
        _ action: Action, reason: String?, why: String?, rate: Int?, until shutdown: Shutdown
    ) async throws -> Result {
        guard let broker else { throw Self.noBroker }
        let subject = ["queue parking", reason.map { "reason \($0)" }].compactMap(\.self).joined(separator: ", ")
        let words = [subject, why].compactMap(\.self).joined(separator: ": ")
        return try await audited(action.command, subject: words) { change, result in
            var pace = rate.map { ReplayPace(rate: $0) }
            let pass = try await QueuePass(broker, .parking, expected: 1).run(pace: &pace, until: shutdown) { batch in
                batch.map { QueuePass.Decided(delivery: $0, fate: Self.fate(of: $0, action, reason)) }
            } settled: { decided in
                let taken = decided.count { $0.fate != .rotate }
                guard taken > 0 else { return }
                try await site.database.execute(
                    "SELECT delivery.note_taken(\(change), \(action == .replay ? "messages" : "parked"), \(Int32(taken)))",
                    within: .seconds(60))
            }
            result.messages = pass.replayed
            result.discarded = action == .discard ? pass.removed : 0
            if pass.rotated > 0 { result.verdicts[.message] = pass.rotated + pass.replayed }
            result.isInterrupted = shutdown.isRequested
        }
    }

    static func fate(of delivery: AMQP.Delivery, _ action: Action, _ reason: String?) -> CopyFate {
        let isMeant = reason.map { ParkedMessage(delivery).reason.hasPrefix($0) } ?? true
        guard isMeant else { return .rotate }
        guard action == .replay else { return .remove }
        return DeadQueue.parking.origin(of: delivery).map { .replay(to: $0) } ?? .rotate
    }

    private static let noBroker = CommandFailure(
        .usage, "set AMQP_URL to that of user operator: the messages are in the broker")
}
