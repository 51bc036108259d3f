import Daemon
import Delivery
import DeviceKit
import DeviceStore
import HTTPClient
import Messages

/// What happens to a phone.
enum Stimulus: Sendable {
    case hint([UInt8])
    case deletedMessages
    /// Its owner opens the app.
    case foreground
}

/// One simulated phone: the kit on a store of its own, and what the operating system does around it.
struct Phone: Sendable {
    let name: PhoneName
    let token: String
    let inbox: Inbox<Stimulus>
    private let device: Device
    private let journal: PhoneJournal
    private let configuration: FleetConfiguration

    /// Loads or makes identity and push token.
    init(
        _ name: PhoneName, configuration: FleetConfiguration, transport: HTTPTransport, journal: FleetJournal
    ) async throws(WorkStoreError) {
        self.name = name
        self.configuration = configuration
        let store: any WorkStore
        if let directory = configuration.directory {
            store = try SQLiteStore(path: "\(directory)/\(name.platform.rawValue)-\(name.number).sqlite")
        } else {
            store = MemoryStore()
        }
        var settings = DeviceSettings(authors: configuration.authors)
        settings.schedule.cap = Int64(configuration.retryCap / .milliseconds(1))
        settings.schedule.offline = 1_000
        settings.coalescing = 1_000
        var own = journal.phone(name)
        let identity = try await Device.identity(platform: name.platform, store: store)
        own.device = identity.device
        self.journal = own
        let hosts = DeviceHosts(
            transport: transport, store: store, keys: StoredKeys(store: store), clock: SystemClock(), journal: own)
        device = try await Device(platform: name.platform, settings: settings, hosts: hosts)
        token = try await PushToken.loadOrMake(platform: name.platform, in: store)
        inbox = Inbox()
    }

    var isEnrolled: Bool { device.identity.account != nil }

    /// Enrols if need be, and registers the token; tries again until it is done or the stop is requested.
    func prepare(ticket: () async throws -> String) async throws -> Bool {
        if !isEnrolled {
            let enrolled = try await persistently("enrolment") {
                let ticket = try await ticket()
                _ = try await device.enrol(ticket: ticket)
            }
            guard enrolled else { return false }
        }
        return try await persistently("token registration") {
            try await device.register(token, kind: .token, route: configuration.route(of: name.platform))
        }
    }

    /// Lives until the stop is requested, or does one sync.
    func run() async throws {
        if configuration.isOnce { return try await syncOnce() }
        var due: Int64?
        _ = await handle(.foreground, reporting: nil, &due)
        journal.record("ready")
        var nextForeground = configuration.foregroundEvery.map { ContinuousClock.now + $0 }
        while !Shutdown.current.isRequested, !Task.isCancelled {
            let wait = pause(due: due, nextForeground)
            var stimulus = await inbox.next(within: wait)
            if stimulus == nil, let time = nextForeground, time <= .now { stimulus = .foreground }
            if case .foreground = stimulus {
                nextForeground = configuration.foregroundEvery.map { ContinuousClock.now + $0 }
            }
            guard await handle(stimulus, reporting: "synced", &due) else {
                journal.record("revoked")
                return
            }
        }
    }

    private func pause(due: Int64?, _ foreground: ContinuousClock.Instant?) -> Duration? {
        var pauses: [Duration] = []
        if let due { pauses.append(.milliseconds(max(due - SystemClock().wall(), 10))) }
        if let foreground { pauses.append(max(foreground - .now, .milliseconds(10))) }
        return pauses.min()
    }

    /// False once the device is revoked.
    private func handle(_ stimulus: Stimulus?, reporting synced: String?, _ due: inout Int64?) async -> Bool {
        do throws(DeviceError) {
            switch stimulus {
            case .hint(let payload):
                _ = try await device.receive(payload)
                try await device.syncIfWished()
            case .deletedMessages: try await device.messagesWereDeleted()
            case .foreground:
                try await device.foreground()
                if let synced { journal.record(synced) }
            case nil: break
            }
            due = try await device.work()
        } catch {
            if error == .revoked { return false }
            if error == .stopped, Shutdown.current.isRequested { return true }
            journal.record("troubled", detail: "\(error)")
            // The owner looks at the app until it has synced; everything else is in the store and due again by itself.
            if case .foreground = stimulus { inbox.put(.foreground) }
            due = SystemClock().wall() + 500
            _ = await Shutdown.current.sleep(for: .milliseconds(500))
        }
        return true
    }

    private func syncOnce() async throws {
        _ = try await persistently("sync") { try await device.foreground() }
        while let due = try await device.work(), !Shutdown.current.isRequested {
            // A device that stands by for another's lease is done for now.
            let wait = due - SystemClock().wall()
            guard wait < 5_000 else { break }
            guard await Shutdown.current.sleep(for: .milliseconds(max(wait, 10))) else { break }
        }
        journal.record("synced")
    }

    /// False when the stop was requested first; throws what no repetition mends.
    private func persistently(_ what: String, _ body: () async throws -> Void) async throws -> Bool {
        var attempt = 0
        while !Shutdown.current.isRequested {
            do {
                try await body()
                return true
            } catch DeviceError.call(.refused(let status, let kind, _)) where kind == .badTicket || status == 422 {
                throw CommandFailure(
                    .noPermission, "\(what) of a phone of \(name.account) is refused: \(kind?.rawValue ?? "\(status)")")
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                attempt += 1
                journal.record("troubled", detail: "\(what): \(error)")
                let delay = RetrySchedule().delay(attempt: min(attempt, 3), jitter: .random(in: 0..<1))
                guard await Shutdown.current.sleep(for: .milliseconds(delay)) else { return false }
            }
        }
        return false
    }
}
