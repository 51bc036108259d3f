import AMQP
public import Daemon
import Delivery
public import Postgres
import Storage

/// Publishes due rows of the outbox with confirms, and publishes again what got no outcome (decision 2).
///
/// Stopping: claims end, what is on its way gets its confirm, what became of it is written, claims that never reached
/// the socket are given back.
public actor Relay: Service {
    public nonisolated var name: String { "relay" }

    let store: OutboxStore
    let publisher: Publisher
    /// Asks about queues; never blocked, because it never publishes.
    let questions: Publisher
    let configuration: Configuration
    let metrics: RelayMetrics
    let outboxMetrics: OutboxMetrics
    let conditions: RelayConditions
    let settlements: SettlementQueue

    var lanes: [Int16: RouteLane] = [:]
    var breakers: [String: RelayBreaker] = [:]
    var outcomes = RelayRepublishProof.Sight()
    var deadIndex = RelayRepublishProof.Sight()
    /// Ready messages of `recorder.outcomes`; nil while unknown.
    var outcomesReady: Int?
    /// The database's clock at the last question.
    var databaseNow: Timestamp?
    var window: RelayWindow
    var lastFound: ContinuousClock.Instant?
    /// Claimed rows in the order in which they are published as soon as the window has room.
    var held: [Claim] = []
    var claimingIsOver = false
    var windowWaiters: [CheckedContinuation<Void, Never>] = []
    private var askWaiter: CheckedContinuation<Void, Never>?

    public init(
        database: Database, broker: BrokerService, configuration: Configuration, metrics: Metrics, readiness: Readiness
    ) {
        publisher = broker.publisher
        questions = broker.questions
        self.configuration = configuration
        self.metrics = RelayMetrics(metrics)
        outboxMetrics = OutboxMetrics(metrics)
        store = OutboxStore(database: database, configuration: configuration, owner: .random())
        conditions = RelayConditions(readiness)
        settlements = SettlementQueue(store: store, configuration: configuration, metrics: self.metrics)
        window = RelayWindow(size: configuration.window)
        lanes[RouteTable.events] = RouteLane(nil, configuration)
    }

    public func run() async {
        let shutdown = Shutdown.current
        Log.info("relay started", [.leaseOwner: .string(store.owner.description)])
        await withTaskGroup { group in
            let writing = Task { await settlements.run() }
            group.addTask { await self.askRepeatedly(until: shutdown) }
            group.addTask { await self.measureRepeatedly(until: shutdown) }
            group.addTask { await self.keepHouseRepeatedly(until: shutdown) }
            await withTaskCancellationHandler {
                await relay(until: shutdown)
                await settlements.end()
                await writing.value
            } onCancel: {
                writing.cancel()
            }
            group.cancelAll()
        }
    }

    /// Claims and publishes until the stop is requested; then waits for what is on its way. While some messages are on
    /// their way, the next rows are claimed.
    private func relay(until shutdown: Shutdown) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.publishHeld() }
            group.addTask {
                await shutdown.wait()
                await self.windowChanged()
            }
            await claimRepeatedly(until: shutdown)
            await giveBackHeld()
            claimingIsOver = true
            windowChanged()
        }
    }

    /// While the messages of one claim are made, the next claim is under way. Returns when all are made.
    private func claimRepeatedly(until shutdown: Shutdown) async {
        await withDiscardingTaskGroup { reading in
            while !shutdown.isRequested {
                let answers = await claimFromEveryLane()
                for answer in answers where answer.published > 0 && !answer.hasSuspects {
                    reading.addTask { _ = await self.readAndHold(answer) }
                }
                var suspects: [Claim] = []
                for answer in answers where answer.hasSuspects { suspects += await readAndHold(answer) }
                if !suspects.isEmpty { await publishAlone(suspects, until: shutdown) }
                if answers.contains(where: { $0.touched > 0 }) {
                    lastFound = .now
                    while !window.isRoomy, !shutdown.isRequested { await windowChange() }
                } else {
                    let since = lastFound.map { ContinuousClock.now - $0 }
                    let pause = configuration.pace.pause(sinceFound: since, random: .random(in: 0..<1))
                    _ = await shutdown.sleep(for: pause)
                }
            }
        }
    }

    /// The cap of a queue holds the relay back: ask sooner.
    func askSoon() { askWaiter.take()?.resume() }

    /// Sleeps until it is time to ask again; false when the stop was requested.
    func waitToAsk(_ shutdown: Shutdown) async -> Bool {
        guard await shutdown.sleep(for: configuration.askAgainAfter) else { return false }
        let timer = Task {
            let slept = await shutdown.sleep(for: configuration.askEvery - configuration.askAgainAfter)
            if slept || shutdown.isRequested { askSoon() }
        }
        await withCheckedContinuation { askWaiter = $0 }
        timer.cancel()
        return !shutdown.isRequested
    }
}

extension LogKey {
    /// As `status` and `outbox release --owner` name this process.
    fileprivate static let leaseOwner: LogKey = "lease.owner"
}
