public import Daemon
import FoundationEssentials
import Glibc
import Postgres

/// The whole system on private servers: every service a process of its own, simulated providers beside them.
///
/// Whoever starts one calls `stop()`, also after a failure; the servers stay.
public actor Stack {
    public nonisolated let site: StackSite
    public nonisolated let providers: ProviderAddresses
    public nonisolated var control: ProviderControl { ProviderControl(url: providers.control) }
    /// What moves on the broker, for whoever watches.
    public nonisolated let tap: Tap
    private let simulator: StackProcess
    private let settings: [String: String]
    private var services: [ServiceKind: [StackProcess]] = [:]
    private var others: [StackProcess] = []
    private var starts = 0
    /// Fixed for the life of the stack, so that phones find a gateway that was started again.
    private let gatewayPort: UInt16

    private init(
        site: StackSite, simulator: StackProcess, providers: ProviderAddresses, tap: Tap, settings: [String: String],
        gatewayPort: UInt16
    ) {
        self.site = site
        self.simulator = simulator
        self.providers = providers
        self.tap = tap
        self.settings = settings
        self.gatewayPort = gatewayPort
    }

    /// Migrates the database, applies the topology, starts the simulator, then `copies` of each service of `kinds`, and
    /// returns when all are ready. `settings` are variables that every service gets besides its own. The tap listens at
    /// `exchanges`: where it does, no message is ever unroutable.
    public static func start(
        _ site: StackSite, _ kinds: [ServiceKind] = ServiceKind.allCases, copies: Int = 1,
        settings: [String: String] = [:], tapping exchanges: [String] = Tap.everywhere
    ) async throws -> Stack {
        let setup = StackSetup(site)
        try setup.makeFolder()
        async let schema: Void = setup.migrate()
        let simulator = try setup.startSimulator()
        do {
            let providers = try ProviderAddresses(try await simulator.announcement("providers listening"))
            try await schema
            try await setup.applyTopology(appsFile: providers.appsFile)
            let tap = try await Tap.start(on: site, exchanges)
            let stack = Stack(
                site: site, simulator: simulator, providers: providers, tap: tap, settings: settings,
                gatewayPort: try FreePort.pick(1)[0])
            do {
                try await stack.startAll(kinds, copies: copies)
            } catch {
                await stack.stop()
                throw error
            }
            return stack
        } catch {
            await simulator.child.end(within: .seconds(5))
            throw error
        }
    }

    private func startAll(_ kinds: [ServiceKind], copies: Int) async throws {
        for kind in kinds {
            for _ in 0..<copies { try launch(kind) }
        }
        for kind in kinds {
            for process in services[kind] ?? [] { try await process.ready() }
        }
    }

    /// Starts one more process of that kind, with `own` variables before all others, and does not wait for it. `wrapper`
    /// is a program that becomes it.
    @discardableResult
    public func launch(
        _ kind: ServiceKind, settings own: [String: String] = [:], through wrapper: String? = nil
    ) throws(CommandFailure) -> StackProcess {
        starts += 1
        var environment = environment(of: kind).merging(settings) { _, given in given }
        if kind == .gateway {
            // A second one takes any port: the phones know only the first.
            let port = services[.gateway, default: []].isEmpty ? gatewayPort : 0
            environment["MOBILE_DELIVERY_GATEWAY_LISTEN"] = "127.0.0.1:\(port)"
        }
        environment.merge(own) { _, own in own }
        let words = (wrapper.map { [$0] } ?? []) + [site.programs.mobileDelivery, kind.rawValue]
        let process = try StackProcess(
            "\(kind)", ProcessCommand(words[0], Array(words.dropFirst()), environment: environment),
            logPath: "\(site.folder)/\(kind)-\(starts).log")
        services[kind, default: []].append(process)
        return process
    }

    /// Starts one more process of that kind and waits until it is ready.
    @discardableResult
    public func start(_ kind: ServiceKind, settings own: [String: String] = [:]) async throws -> StackProcess {
        let process = try launch(kind, settings: own)
        try await process.ready()
        return process
    }

    /// kill -9 of one process; returns once it is gone.
    public func kill(_ process: StackProcess) async {
        for kind in services.keys { services[kind]?.removeAll { $0 === process } }
        process.child.signal(SIGKILL)
        _ = await process.child.ended(within: .seconds(5))
    }

    /// SIGSTOP to every process of that kind: its connections stay, and nothing moves until `thaw`.
    public func freeze(_ kind: ServiceKind) {
        for process in services[kind] ?? [] { process.child.signal(SIGSTOP) }
    }

    public func thaw(_ kind: ServiceKind) {
        for process in services[kind] ?? [] { process.child.signal(SIGCONT) }
    }

    /// kill -9 of every process of that kind; returns once they are gone.
    public func kill(_ kind: ServiceKind) async {
        for process in services.removeValue(forKey: kind) ?? [] {
            process.child.signal(SIGKILL)
            _ = await process.child.ended(within: .seconds(5))
        }
    }

    /// SIGTERM to every process of that kind; returns how they ended.
    @discardableResult
    public func stop(_ kind: ServiceKind) async -> [ChildProcess.Termination?] {
        var ends: [ChildProcess.Termination?] = []
        for process in services.removeValue(forKey: kind) ?? [] {
            ends.append(await process.child.end(within: .seconds(25)))
        }
        return ends
    }

    /// `topology apply`, as an operator does after the broker lost its data; the tap too.
    public nonisolated func applyTopology() async throws {
        try await StackSetup(site).applyTopology(appsFile: providers.appsFile)
        try await tap.declare(on: site)
    }

    /// Another process of the stack, for example the phones; `stop()` ends it.
    func add(_ process: StackProcess) { others.append(process) }

    /// Every process that runs now.
    public var processes: [StackProcess] { [simulator] + services.values.flatMap { $0 } + others }

    /// The end of each process's log, for when something went wrong.
    public func lastWords() -> [String] {
        processes.flatMap { process in
            ["— \(process.name)"] + process.child.log.split(separator: "\n").suffix(6).map(String.init)
        }
    }

    /// Ends every process, phones first, the simulator last.
    public func stop() async {
        for process in others { await process.child.end(within: .seconds(10)) }
        others = []
        await withTaskGroup { group in
            for process in services.values.flatMap({ $0 }) {
                group.addTask { _ = await process.child.end(within: .seconds(25)) }
            }
        }
        services = [:]
        await tap.stop()
        await simulator.child.end(within: .seconds(10))
    }

    public nonisolated var gatewayURL: String { "http://127.0.0.1:\(gatewayPort)" }
}
