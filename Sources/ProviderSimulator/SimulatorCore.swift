import HTTP2
import HTTPServer
import Synchronization

/// Brings the world's decisions to the wire. Any thread may call it.
final class SimulatorCore: Sendable {
    let journal: Feed<JournalEntry>
    let deliveries: Feed<Delivered>
    private let world: Mutex<World>
    private let servers = Mutex<[ProviderService: HTTP2.Server]>([:])
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

    private func treat(_ request: ProviderRequest) -> Treatment {
        let now = WallClock.now
        let treatment = world.withLock { world in
            var random = SystemRandomNumberGenerator()
            return world.treat(request, now: now, random: &random)
        }
        journal.append(
            JournalEntry(
                at: now, request: request, status: treatment.answer.status, reason: treatment.answer.reason,
                action: treatment.actionText))
        deliver(treatment.outgoing, at: now)
        return treatment
    }

    private func deliver(_ outgoing: [DeviceTable.Outgoing], at now: Int64) {
        for message in outgoing { deliveries.append(Delivered(at: now, outgoing: message)) }
    }

    // MARK: HTTP/2

    /// On the server's thread: most answers leave from here.
    func reply(to received: ReceivedRequest, _ service: ProviderService) -> Reply {
        let treatment = treat(ProviderRequest(received, service: service))
        let isPlain = treatment.delayMilliseconds == 0 && treatment.action.map { !$0.touchesWire } ?? true
        if isPlain && !treatment.opensStreams { return .answer(treatment.answer.response) }
        let streams = apnsStreams
        return .later { exchange in
            if treatment.opensStreams { await exchange.setConcurrentStreams(streams) }
            await Self.act(treatment, exchange)
        }
    }

    private static func act(_ treatment: Treatment, _ exchange: HTTP2.Exchange) async {
        if treatment.delayMilliseconds > 0 {
            try? await Task.sleep(for: .milliseconds(treatment.delayMilliseconds))
        }
        let stream = exchange.request.stream
        var isAnswered = true
        if let action = treatment.action {
            if let farewell = action.goAway {
                let last: Int32 =
                    switch farewell.last {
                    case .before: max(0, stream - 2)
                    case .this: stream
                    case .all: Int32.max
                    case .stream(let number): number
                    }
                await exchange.goAway(lastStream: last, code: farewell.code, debug: farewell.debugData)
                isAnswered = stream <= last
            }
            if let streams = action.streams { await exchange.setConcurrentStreams(streams) }
            if action.silence { return await exchange.silence() }
            if action.disconnect { return await exchange.disconnect() }
            if action.hang { return }
            if let code = action.reset {
                if action.afterHeaders {
                    await exchange.begin(status: treatment.answer.status, headers: treatment.answer.headers)
                }
                await exchange.reset(code)
                return
            }
        }
        if isAnswered { await exchange.answer(treatment.answer.response) }
    }

    // MARK: HTTP/1.1

    /// What only HTTP/2 can do (reset, silence, disconnect) is a hang here: until the client gives up, at most ten
    /// minutes.
    func answer(_ request: HTTPServer.Request, _ service: ProviderService) async -> HTTPServer.Response {
        let fields = HTTP2.Headers(request.headers.fields.map { HeaderField($0.name, $0.value) })
        let treatment = treat(
            ProviderRequest(
                service: service, version: "http/1.1", connection: 0, stream: 0, method: request.method,
                path: request.target, fields: fields, body: request.body))
        if treatment.delayMilliseconds > 0 {
            try? await Task.sleep(for: .milliseconds(treatment.delayMilliseconds))
        }
        if treatment.action?.breaksOff == true { try? await Task.sleep(for: .seconds(600)) }
        var response = HTTPServer.Response(
            status: UInt16(clamping: treatment.answer.status), body: treatment.answer.body)
        for field in treatment.answer.headers { response.headers.add(field.name, field.value) }
        return response
    }

    // MARK: Control

    func play(_ script: Script, appending: Bool = false) {
        world.withLock { world in
            if appending { world.script.rules += script.rules } else { world.script = script }
        }
    }

    var script: Script { world.withLock { $0.script } }

    func device(_ token: String) -> Device? { world.withLock { $0.devices[token] } }

    var devices: [Device] { world.withLock { Array($0.devices.devices.values) } }

    func register(_ device: Device) {
        let now = WallClock.now
        deliver(world.withLock { $0.devices.register(device, now: now) }, at: now)
    }

    func unregister(_ token: String, _ state: Device.State) { world.withLock { $0.devices.setState(token, state) } }
}

extension Action {
    /// Needs more than an answer's bytes.
    fileprivate var touchesWire: Bool { breaksOff || goAway != nil || streams != nil }
}

extension Action.Farewell {
    fileprivate var debugData: String {
        reason.isEmpty || reason.contains("_") ? reason : JSONValue.object([.init("reason", .string(reason))]).text
    }
}
