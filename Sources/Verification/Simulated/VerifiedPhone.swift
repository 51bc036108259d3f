import Cryptography
import Delivery
import DeviceFleet
import DeviceKit
import DeviceStore
import FoundationEssentials
import Messages

/// A phone in real time: the kit's application values on a modelled operating system, with a store on the disk and a real
/// gateway at the other end.
actor VerifiedPhone {
    /// What all phones of a verification share.
    struct Setting: Sendable {
        let transport: HTTPTransport
        let authors: [String: [UInt8]]
        let folder: String
        let defect: VerificationDefect?
    }

    enum Application { case ios(IOSApplication), android(AndroidApplication) }

    /// One run of the app, from its start to its end.
    struct Process {
        let number: Int
        let life = ProcessLife()
        var application: Application
        var device: Device?
        var store: PhoneStore?
        var tasks: [Task<Void, Never>] = []
    }

    nonisolated let name: String
    nonisolated let platform: Platform
    nonisolated let record: PhoneRecord
    nonisolated let network: PhoneNetwork
    let setting: Setting
    var system: PhoneSystem
    var process: Process?
    var token: String
    /// Of the last hint that came, for repeating it.
    private(set) var lastPayload: [UInt8]?
    /// What was shown although the owner had switched alerts off.
    private(set) var alertsWhileDenied = 0
    private var deniesAlerts = false
    private var installation = 0
    private var processes = 0
    private let clock = SystemClock()

    init(_ platform: Platform, setting: Setting) {
        self.platform = platform
        self.setting = setting
        name = platform.rawValue
        record = PhoneRecord(phone: platform.rawValue)
        network = PhoneNetwork(listsByCursor: setting.defect == .syncByCursor)
        switch platform {
        case .ios:
            var ios = IOSSystem()
            ios.windowProbability = 1
            system = .ios(ios)
        case .android:
            system = .android(AndroidSystem(scheduler: WorkScheduler(replaces: setting.defect == .workReplaced)))
        }
        token = VerifiedPhone.newToken(platform)
    }

    static func newToken(_ platform: Platform) -> String {
        let random = RandomBytes.make(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return platform == .ios ? random : "simulated-\(random)"
    }

    nonisolated func route(of app: String) -> Route {
        platform == .ios
            ? Route(provider: .apns, environment: "production", app: app)
            : Route(provider: .fcm, environment: "", app: app)
    }

    /// Where this installation keeps its store.
    var storePath: String { "\(setting.folder)/\(name)-\(installation).sqlite" }

    /// The one way in.
    func happen(_ event: PhoneEvent) {
        if case .network(let isOnline) = event { network.set(isOnline: isOnline) }
        if event == .processEnded { record.add(.crash) }
        if case .settings(let settings) = event { deniesAlerts = !settings.showsAlerts }
        if case .delivered(.message(let message)) = event {
            lastPayload = message.payload
            record.add(.delivered((try? JSONValue(parsing: message.payload))?["jobId"]?.string ?? ""))
        }
        for effect in system.apply(event, now: clock.monotonic(), luck: 0) { carryOut(effect) }
    }

    /// The app is removed: its process, its store and its token go.
    func remove() {
        happen(.forceQuit)
        try? FileManager.default.removeItem(atPath: storePath)
        installation += 1
        token = VerifiedPhone.newToken(platform)
    }

    private func carryOut(_ effect: PhoneEffect) {
        switch effect {
        case .launch:
            processes += 1
            let application: Application =
                platform == .ios ? .ios(IOSApplication()) : .android(AndroidApplication())
            process = Process(number: processes, application: application)
        case .terminate: endProcess()
        // What was under way when the system stopped it goes on from the store.
        case .suspend, .resume: break
        case .ios(let event): tell(event)
        case .android(let event):
            if case .workStopped(let work) = event { record.add(.workStopped(work)) }
            tell(event)
        case .show: shown()
        case .giveToken: giveToken()
        case .startTimer(let number, let delay): after(delay) { await $0.happen(.timer(number)) }
        }
    }

    func shown() {
        record.add(.alert)
        if deniesAlerts { alertsWhileDenied += 1 }
    }

    private func endProcess() {
        process?.life.end()
        for task in process?.tasks ?? [] { task.cancel() }
        process = nil
    }

    /// Also unasked, when the platform changed it.
    func giveToken() {
        switch platform {
        case .ios: tell(IOSApplication.Event.token(token))
        case .android: tell(AndroidApplication.Event.token(token))
        }
    }

    func change(token new: String) {
        token = new
        giveToken()
    }

    func tell(_ event: IOSApplication.Event) {
        guard case .ios(var application)? = process?.application else { return }
        let effects = application.apply(event)
        process?.application = .ios(application)
        for effect in effects { carryOut(effect) }
    }

    func tell(_ event: AndroidApplication.Event) {
        guard case .android(var application)? = process?.application else { return }
        let effects = application.apply(event)
        process?.application = .android(application)
        for effect in effects { carryOut(effect) }
    }

    /// Something asynchronous of this process; what it says after the process ended is not heard.
    func work(_ body: @escaping @Sendable (VerifiedPhone, Int) async -> Void) {
        guard let number = process?.number else { return }
        process?.tasks.append(Task { await body(self, number) })
    }

    /// Of the system or of the process that runs now.
    func after(_ milliseconds: Int64, _ body: @escaping @Sendable (VerifiedPhone) async -> Void) {
        let number = process?.number
        Task {
            try? await Task.sleep(for: .milliseconds(max(milliseconds, 0)))
            guard isRunning(number) else { return }
            await body(self)
        }
    }

    func isRunning(_ number: Int?) -> Bool { process?.number == number }
    var monotonic: Int64 { clock.monotonic() }
    var wall: Int64 { clock.wall() }
}
