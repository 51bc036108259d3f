import Delivery
import DeviceKit
import Synchronization

/// A random history of one account's phones, drawn from a seed: commits, owners, networks, restarts and crashes at any
/// call, and at the end an hour of peace. The same seed is the same history.
public struct RandomSchedule: Sendable {
    public struct Report: Equatable, Sendable {
        public var seed: UInt64
        /// Empty, or each with its invariant in front.
        public var violations: [String]
        /// Equal for equal histories.
        public var trace: UInt64
        public var requests: Int
        public var jobs: Int
        /// What is durable at the end on phones and at the gateway.
        public var finalState: [String]
    }

    public var seed: UInt64
    public var defects: Set<PlantedDefect> = []
    /// No phone may ever show an alert.
    public var isMuted = false
    /// Accounts are reset and apps reinstalled on the way.
    public var reenrols = true
    /// Gets a line for each request and for everything that happens to a phone.
    public var log: (@Sendable (String) -> Void)?

    public init(seed: UInt64) { self.seed = seed }

    public func run() -> Report {
        let draws = SeededRandom(seed: seed)
        let platforms = (0..<(1 + draws.index(3))).map { _ in draws.chance(0.5) ? Platform.ios : .android }
        let world = SimulatedWorld(
            seed: draws.seed(), platforms: platforms, defects: defects, wrongClocks: true, log: log)
        let actions = Array(0..<(8 + draws.index(25))).map { _ in
            (ScheduleAction.wait(draws), ScheduleAction.draw(draws, phones: platforms.count, reenrols: reenrols))
        }
        let end = Mutex<[String]>([])
        let isAlive = world.run { world in
            for phone in world.phones where isMuted { await phone.tell(.settings(muted(PhoneSettings()))) }
            await live(world, actions)
            let state = world.finalState()
            end.withLock { $0 = state }
        }
        if !isAlive { world.checker.report("liveness: everything waits for something that never comes") }
        return Report(
            seed: seed, violations: world.checker.violations, trace: world.checker.trace,
            requests: world.checker.requestCount, jobs: world.network.withGateway { $0.order.count },
            finalState: end.withLock { $0 })
    }

    private func live(_ world: SimulatedWorld, _ actions: [(Int64, ScheduleAction)]) async {
        guard await world.enrolAll() else { return world.checker.report("liveness: not every phone is enrolled") }
        world.network.setTroubled(true)
        world.setWeather(.rough)
        for (pause, action) in actions {
            await pass(pause, in: world)
            world.checker.tell("\(world.loop.now) \(action)")
            await perform(action, in: world)
        }
        if !(await world.settle()) {
            for line in world.incomplete.prefix(3) { world.checker.report("liveness: \(line)") }
        }
        await world.check()
    }

    /// Nobody looks at an app for more than a few minutes.
    private func pass(_ time: Int64, in world: SimulatedWorld) async {
        let short = min(time, 600_000)
        await world.sleep(short)
        guard time > short else { return }
        for phone in world.phones { await phone.tell(.left) }
        await world.sleep(time - short)
    }

    private func perform(_ action: ScheduleAction, in world: SimulatedWorld) async {
        switch action {
        case .commit(let hasFanout, let delay): world.commit(hasFanout: hasFanout, lateBy: min(delay, 600_000))
        case .happens(let phone, .settings(let settings)):
            await world.phones[phone].tell(.settings(isMuted ? muted(settings) : settings))
        case .happens(let phone, let event): await world.phones[phone].tell(event)
        case .crash(let phone, let calls): await world.phones[phone].crash(afterCalls: calls)
        case .storageFull(let phone, let isFull): world.phones[phone].disk.setFull(isFull)
        case .rotateToken(let phone): await world.phones[phone].rotateToken()
        case .junk(let phone):
            for _ in 0..<(1 + world.random.index(4)) {
                await world.phones[phone].push(PushMessage(payload: world.junk()))
            }
        case .repeatHint(let phone):
            guard let job = world.network.withGateway({ $0.order.last }) else { return }
            let provider = world.phones[phone].configuration.platform.provider
            for pause in [0, 20, 300] {
                await world.sleep(Int64(pause))
                await world.phones[phone].push(PushMessage(payload: world.payload(job, for: provider)))
            }
        case .visitReceipts(let phone, let accepts, let grants):
            await world.phones[phone].visitReceipts(accepts: accepts, grants: grants && !isMuted)
        case .resetAccount(let phone):
            let old = world.phones[phone].storedDevice
            _ = await world.phones[phone].resetAccount()
            if let old, world.phones[phone].storedDevice != old { world.network.withGateway { $0.revoke(old) } }
        case .reinstall(let phone):
            if let old = world.phones[phone].storedDevice { world.network.withGateway { $0.revoke(old) } }
            await world.phones[phone].reinstall()
        case .wait(let time): await pass(time, in: world)
        }
    }

    private func muted(_ settings: PhoneSettings) -> PhoneSettings {
        var muted = settings
        muted.showsAlerts = false
        return muted
    }
}
