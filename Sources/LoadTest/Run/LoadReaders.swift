import AMQP
import Delivery
import Messages
import Synchronization

/// Everybody who listens while a test runs: at the providers, and at the broker's exchanges.
final class LoadReaders: Sendable {
    let outsiders: [Outsider]
    private let taps: [BrokerTap]
    private let tasks: [Task<Void, any Error>]
    private let failure: FailureBox

    /// The first failure of a reader, while others go on.
    private final class FailureBox: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    private init(_ outsiders: [Outsider], _ taps: [BrokerTap], _ work: [@Sendable () async throws -> Void]) {
        self.outsiders = outsiders
        self.taps = taps
        let failure = FailureBox()
        self.failure = failure
        tasks = work.map { work in
            Task {
                do {
                    try await work()
                } catch {
                    failure.error.withLock { $0 = error }
                    throw error
                }
            }
        }
    }

    static func start(_ stage: LoadStage, _ ledger: Ledger) async throws -> LoadReaders {
        let answers = AnswerReader(providers: stage.site.providers, ledger: ledger)
        let newest = try await answers.newest()
        let outcomes = BrokerTap(url: stage.site.amqpURL, queue: "load.outcomes", exchange: "results", key: "outcome.#")
        let hints = BrokerTap(url: stage.site.amqpURL, queue: "load.hints", exchange: "hints", key: "#")
        let taps = [outcomes] + (stage.stampsPublish ? [hints] : []) + stage.outsiders.map(\.tap)
        for tap in taps { try await tap.make() }
        var work: [@Sendable () async throws -> Void] = [
            { try await answers.run(after: newest) },
            {
                try await outcomes.run { message in
                    guard let batch = try? OutcomeBatch(decoding: message.body) else { return }
                    await ledger.reported(batch.outcomes, message: message.messageID)
                }
            },
        ]
        if stage.stampsPublish {
            work.append {
                try await hints.run { message in
                    guard let hint = HintGlance(message.body) else { return }
                    await ledger.published(hint.job, device: hint.device, at: MachineClock.now)
                }
            }
        }
        for outsider in stage.outsiders { work.append { try await outsider.run() } }
        return LoadReaders(stage.outsiders, taps, work)
    }

    /// Throws what a reader failed with.
    func check() throws {
        if let error = failure.error.withLock({ $0 }) { throw error }
    }

    /// Once nothing is left to read, ends them and removes their queues.
    func stop() async throws {
        for tap in taps { await tap.settle() }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        for tap in taps { try? await tap.remove() }
        try check()
    }
}
