import HTTP2
import Synchronization

/// The world behind a lock, with its clock, and what it did for readers. Any thread may call it.
final class SharedWorld: Sendable {
    let journal: Feed<JournalEntry>
    let deliveries: Feed<Delivered>
    private let world: Mutex<World>
    private let servers = Mutex<[ProviderService: HTTP2.Server]>([:])
    private let clockOffset = Atomic<Int64>(0)
    private let apnsStreams: UInt32

    init(_ configuration: SimulatorConfiguration) {
        journal = Feed(capacity: configuration.journalEntries)
        deliveries = Feed(capacity: configuration.journalEntries)
        world = Mutex(World(configuration))
        apnsStreams = configuration.apnsStreams
    }

    func setTokenAddress(_ address: String) { world.withLock { $0.tokenAddress = address } }
    func setServers(_ all: [ProviderService: HTTP2.Server]) { servers.withLock { $0 = all } }
    func server(_ service: ProviderService) -> HTTP2.Server? { servers.withLock { $0[service] } }

    func close() {
        journal.close()
        deliveries.close()
    }

    // MARK: Time

    /// Epoch milliseconds by the simulator's clock.
    var now: Int64 { WallClock.now + clockOffset.load(ordering: .relaxed) }

    /// Milliseconds by which the simulator's clock is ahead of the machine's.
    func setClockOffset(_ milliseconds: Int64) {
        clockOffset.store(milliseconds, ordering: .relaxed)
        tick()
    }

    /// Delivers what was kept back and is due.
    func tick() {
        let now = now
        deliver(world.withLock { $0.devices.flushDue(now: now) }, at: now)
    }

    // MARK: Requests

    /// On the server's thread: most answers leave from here.
    func reply(to received: ReceivedRequest, _ service: ProviderService) -> Reply {
        let treatment = treat(ProviderRequest(received, service: service))
        let isPlain = treatment.delayMilliseconds == 0 && treatment.action.map { !$0.touchesWire } ?? true
        if isPlain && !treatment.opensStreams { return .answer(treatment.answer.response) }
        let streams = apnsStreams
        return .later { exchange in
            if treatment.opensStreams { await exchange.setConcurrentStreams(streams) }
            await treatment.act(exchange)
        }
    }

    private func treat(_ request: ProviderRequest) -> Treatment {
        let moment = WallClock.microseconds + clockOffset.load(ordering: .relaxed) * 1000
        let now = moment / 1000
        let treatment = world.withLock { world in
            var random = SystemRandomNumberGenerator()
            return world.treat(request, now: now, random: &random)
        }
        let isAccepted = treatment.answer.isAccepted
        if isAccepted, treatment.action?.swallow == true { return treatment }
        var entry = JournalEntry(
            at: now, request: request, status: treatment.answer.status, reason: treatment.answer.reason,
            action: treatment.actionText)
        entry.fraction = moment % 1000
        entry.delay = treatment.delayMilliseconds
        entry.isCut = treatment.action.map { $0.breaksOff && !$0.deliver } ?? false
        for _ in 0..<(isAccepted && treatment.action?.twice == true ? 2 : 1) {
            journal.append(entry)
            deliver(treatment.outgoing, at: now)
        }
        return treatment
    }

    private func deliver(_ outgoing: [Outgoing], at now: Int64) {
        for message in outgoing { deliveries.append(Delivered(at: now, outgoing: message)) }
    }

    // MARK: Control

    func play(_ script: Script, appending: Bool = false) {
        world.withLock { world in
            if appending { world.script.rules += script.rules } else { world.script = script }
        }
    }

    var script: Script { world.withLock { $0.script } }

    func device(_ token: String) -> Device? { world.withLock { $0.devices[DeviceTable.key(token)] } }

    var devices: [Device] { world.withLock { $0.devices.devices } }

    func register(_ device: Device) {
        let now = now
        deliver(world.withLock { $0.devices.register(device, now: now) }, at: now)
    }

    func unregister(_ token: String, _ state: Device.State) {
        world.withLock { $0.devices.setState(DeviceTable.key(token), state) }
    }
}
