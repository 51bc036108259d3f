public import Delivery
public import DeviceKit
import DeviceStore
import Messages

/// A phone in a simulation: its operating system, the app around the kit as the platform's reducer tells it, a disk that
/// outlives the process, and an owner. Against the gateway model it lives in virtual time, against a real gateway in real.
public actor SimulatedPhone {
    public struct Configuration: Sendable {
        public var platform: Platform
        /// Names the phone to its checker.
        public var number: Int
        public var device: DeviceSettings
        public var route: Route
        public var transport: any Transport
        public var timers: any PhoneTimers
        public var checker: InvariantChecker
        public var seed: UInt64
        /// A one-time enrolment ticket.
        public var ticket: @Sendable () async throws -> String
        public var journal: any Journal = NoJournal()
        public var defects: Set<PlantedDefect> = []

        public init(
            platform: Platform, number: Int, device: DeviceSettings, route: Route, transport: any Transport,
            timers: any PhoneTimers, checker: InvariantChecker, seed: UInt64,
            ticket: @escaping @Sendable () async throws -> String
        ) {
            self.platform = platform
            self.number = number
            self.device = device
            self.route = route
            self.transport = transport
            self.timers = timers
            self.checker = checker
            self.seed = seed
            self.ticket = ticket
        }
    }

    public nonisolated let configuration: Configuration
    public nonisolated let disk = SimulatedDisk()
    nonisolated let link = NetworkLink()
    let random: SeededRandom
    var system: PhoneSystem
    var settings = PhoneSettings()
    /// What the push service holds while the phone is away.
    var queue: PushQueue
    public internal(set) var token: String
    var owesToken = false
    var ios = IOSApplication()
    var android = AndroidApplication()
    var process: AppProcess?
    var processes = 0
    /// Calls that the next process will live for.
    var nextCrash: Int?
    var device: Device?
    var store: GatedStore?
    var permission: NotificationPermission?
    var workers: [String: Task<Void, Never>] = [:]
    /// The app shows its login and tries to enrol.
    var isEnrolling = false
    var lacksAccount = false

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        random = SeededRandom(seed: configuration.seed)
        token = SimulatedPhone.newToken(random)
        queue = PushQueue(platform: configuration.platform)
        system = PhoneSystem(configuration.platform)
        if configuration.platform == .android, configuration.defects.contains(.replacesWork) {
            system = .android(AndroidSystem(scheduler: WorkScheduler(replaces: true)))
        }
    }

    static func newToken(_ random: SeededRandom) -> String { Hex.encode(random.bytes(32)) }

    var now: Int64 { configuration.timers.monotonic() }

    /// The device that this phone is to the gateway; `nil` while the app does not run or is not yet there.
    public var identity: DeviceIdentity? { device?.identity }
    public var isActive: Bool { system.isActive }

    /// The device that is on the disk, whether the app runs or not.
    public nonisolated var storedDevice: Identifier? {
        guard let bytes = try? disk.durable.value("identity") else { return nil }
        return try? JSONReader(bytes).identifier("device")
    }

    /// Something happens to the phone.
    public func tell(_ event: PhoneEvent) {
        switch event {
        case .restarted: disk.cutPower()
        case .network(let isOnline): link.set(isOnline)
        case .settings(let new): settings = new
        default: break
        }
        for effect in system.apply(event, now: now, luck: random.fraction()) { perform(effect) }
        if event == .network(true) { reconnect() }
        if event == .opened { enrol() }
    }

    /// The push service has a message for the phone.
    public func push(_ message: PushMessage) {
        guard link.isUp else { return queue.hold(message, now: now) }
        tell(.delivered(.message(message)))
    }

    private func reconnect() {
        for delivery in queue.release(now: now) { tell(.delivered(delivery)) }
        if owesToken { giveToken() }
    }

    private func perform(_ effect: PhoneEffect) {
        switch effect {
        case .launch: launch()
        case .terminate: terminate()
        case .suspend: process?.suspend()
        case .resume: process?.resume()
        case .ios(let event): tellApp(event)
        case .android(let event): tellApp(event)
        case .show(let payload, _): show(payload)
        case .giveToken: giveToken()
        case .startTimer(let number, let delay): later(delay) { await $0.tell(.timer(number)) }
        }
    }

    private func launch() {
        processes += 1
        let number = processes
        let executor = configuration.timers.executor
        process = AppProcess(callsLeft: nextCrash) { [weak self] in
            Task(executorPreference: executor) { await self?.crashed(number) }
        }
        nextCrash = nil
        ios = IOSApplication()
        android = AndroidApplication()
        configuration.checker.launched(configuration.number)
    }

    private func terminate() {
        process?.end()
        process = nil
        device = nil
        store = nil
        permission = nil
        workers = [:]
        isEnrolling = false
        lacksAccount = false
    }

    private func crashed(_ number: Int) {
        guard number == processes else { return }
        disk.cutPower()
        tell(.processEnded)
    }

    func giveToken() {
        guard link.isUp else {
            owesToken = true
            return
        }
        owesToken = false
        let token = token
        inProcess(after: 300) { phone in await phone.tellApp(ios: .token(token), android: .token(token)) }
    }

    func show(_ payload: [UInt8]) {
        guard case .work(let hint) = HintVerdict(payload: payload) else { return }
        configuration.checker.shown(ShownAlert(payload: payload), of: hint.job, on: configuration.number)
    }

    /// Runs the body later, whatever becomes of the process.
    func later(_ delay: Int64, _ body: @escaping @Sendable (SimulatedPhone) async -> Void) {
        let timers = configuration.timers
        Task(executorPreference: timers.executor) { [weak self] in
            await timers.sleep(delay)
            guard let self else { return }
            await body(self)
        }
    }

    /// Runs the body in the process of now; its result is not heard once that is gone.
    @discardableResult
    func inProcess(
        after delay: Int64 = 0, _ body: @escaping @Sendable (SimulatedPhone) async -> Void
    ) -> Task<Void, Never>? {
        guard let process else { return nil }
        let timers = configuration.timers
        return Task(executorPreference: timers.executor) { [weak self] in
            if delay > 0 { await timers.sleep(delay) }
            guard let self, !process.isDead else { return }
            // A task inherits the cause of whoever began it, and this is something of its own.
            await RequestCause.$current.withValue(.launch) { await body(self) }
        }
    }
}
