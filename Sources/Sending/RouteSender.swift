import AMQP
import Cryptography
import Daemon
import Delivery
import Messages

/// Consumes one route's queue: one verdict and one outcome (or dead letter) for every hint, acknowledged only once that
/// is safe with the broker.
actor RouteSender {
    /// What routes of one process share.
    struct Shared: Sendable {
        let settings: SendingSettings
        let courier: any Courier
        let vault: TokenVault
        let acceptances: Acceptances
        let publisher: ConfirmedPublisher
        /// Pauses the other routes of the credential or of the process.
        let spread: @Sendable (Route, PauseExtent, String) async -> Void
    }

    nonisolated let route: Route
    nonisolated let consumer: Consumer
    let shared: Shared
    let desk: OutcomeDesk
    let numbers: RouteMetrics
    let condition: Readiness.Condition
    let check: StartCheck
    let pacer: Pacer?

    var machine: PauseMachine
    var faults = FaultWatch()
    var brake: SuspicionBrake
    var clock: ClockWatch
    var throttle: Throttle
    /// Hints that hold a slot, and those that wait for one.
    var open = 0
    var waitingForSlot: [CheckedContinuation<Void, Never>] = []
    /// Hints in a row that reached no provider.
    var trouble = 0
    var isStopping = false
    var probing: Task<Void, Never>?
    /// Entries with a request under way, and deliveries of the same ones that wait for its end.
    private var underWay: [AcceptanceMemory.Key: [CheckedContinuation<Void, Never>]] = [:]
    private var inHand = 0
    private var idling: [CheckedContinuation<Void, Never>] = []

    /// The consumer's own: between a delivery and its acknowledgement only the provider's thread is visited.
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.unownedExecutor }

    init(
        route: Route, consumer: Consumer, desk: OutcomeDesk, shared: Shared, numbers: RouteMetrics,
        condition: Readiness.Condition
    ) {
        self.route = route
        self.consumer = consumer
        self.desk = desk
        self.shared = shared
        self.numbers = numbers
        self.condition = condition
        let settings = shared.settings
        check = StartCheck(settings)
        pacer = shared.courier.pacer(of: route)
        machine = PauseMachine(first: settings.pauseFirst, longest: settings.pauseLongest)
        brake = SuspicionBrake(window: settings.brakeWindow, minimum: settings.brakeSuspicions)
        clock = ClockWatch(tolerance: settings.clockTolerance.milliseconds)
        throttle = Throttle(maximum: settings.concurrency)
    }

    /// Takes deliveries until its task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            while let message = await consumer.next() {
                inHand += 1
                numbers.inHand.set(inHand)
                group.addImmediateTask { await self.handle(message) }
            }
        }
        probing?.cancel()
    }

    /// Takes no new hints; what is delivered and not started is given back.
    func stop() async {
        isStopping = true
        probing?.cancel()
        wakeSlots(waitingForSlot.count)
        await consumer.pause()
    }

    /// Returns once every delivered hint is settled.
    func idle() async {
        guard inHand > 0 else { return }
        await withCheckedContinuation { idling.append($0) }
    }

    // MARK: One hint

    private func handle(_ message: AMQP.Delivery) async {
        switch Intake(message, route: route) {
        case .dead(let reason, let detail):
            Log.warning(
                "message buried",
                [.route: .of(route), .reason: .string(reason), .cause: .string(detail)])
            await bury(message, reason: reason)
        case .hint(let hint):
            let key = AcceptanceMemory.Key(entry: hint.entry, life: hint.life)
            await begin(key)
            let settlement = await settlement(
                of: hint, key, redelivered: message.redelivered || message.deliveryCount > 0)
            end(key)
            switch settlement {
            case .outcome(let outcome):
                numbers.reported(outcome.kind)
                await desk.report(outcome, of: message)
            case .deadLetter(let reason, let status): await bury(message, reason: reason, status: status)
            }
        }
        inHand -= 1
        numbers.inHand.set(inHand)
        if inHand == 0 {
            let all = idling
            idling = []
            for each in all { each.resume() }
        }
    }

    private func bury(_ message: AMQP.Delivery, reason: String, status: Int? = nil) async {
        numbers.buried(reason)
        let letter = AMQP.Message.deadLetter(
            of: message, route: route, reason: reason, status: status, now: Instant.now())
        if await shared.publisher.publish(letter) { await consumer.ack(message) }
    }

    /// The same hint delivered again meanwhile waits: its answer may by then be in the memory.
    private func begin(_ key: AcceptanceMemory.Key) async {
        while underWay[key] != nil {
            await withCheckedContinuation { underWay[key]?.append($0) }
        }
        underWay[key] = []
    }

    private func end(_ key: AcceptanceMemory.Key) {
        for waiting in underWay.removeValue(forKey: key) ?? [] { waiting.resume() }
    }
}
