import Delivery
import DeviceFleet
import DeviceKit
import DeviceStore

// Opening the store, and what the account's owner does in the app.
extension VerifiedPhone {
    func open() {
        let path = storePath
        work { phone, number in
            do {
                try await phone.opened(SQLiteStore(path: path), number)
            } catch let error as WorkStoreError {
                await phone.openFailed(error)
            } catch {}
        }
    }

    private func opened(_ sqlite: SQLiteStore, _ number: Int) async throws {
        guard let process, process.number == number else { return }
        let store = PhoneStore(sqlite, life: process.life, defect: setting.defect)
        var settings = DeviceSettings(authors: setting.authors)
        settings.schedule.base = 200
        settings.schedule.cap = 1_000
        settings.schedule.floor = 100
        settings.coalescing = 1_000
        let device = try await Device(
            platform: platform, settings: settings,
            hosts: DeviceHosts(
                transport: PhoneTransport(
                    base: setting.transport, life: process.life, network: network, record: record),
                store: store, keys: StoredKeys(store: store), clock: SystemClock(), journal: record))
        guard isRunning(number) else { return }
        self.process?.device = device
        self.process?.store = store
        let isEnrolled = device.identity.account != nil
        switch platform {
        case .ios: tell(IOSApplication.Event.storeOpened(isEnrolled: isEnrolled))
        case .android: tell(AndroidApplication.Event.storeOpened(isEnrolled: isEnrolled))
        }
    }

    private func openFailed(_ error: WorkStoreError) {
        switch platform {
        case .ios: tell(IOSApplication.Event.storeFailed(error))
        case .android: tell(AndroidApplication.Event.storeFailed(error))
        }
    }

    /// Opens the app, enrols, and goes as far as an owner goes who is asked about notifications and says yes.
    func logIn(ticket: String) async throws {
        happen(.opened)
        let (device, store) = try await running()
        _ = try await device.enrol(ticket: ticket)
        switch platform {
        case .ios: tell(IOSApplication.Event.enrolled)
        case .android: tell(AndroidApplication.Event.enrolled)
        }
        var permission = try await NotificationPermission.load(from: store)
        for event in [NotificationPermission.Event.benefitInContext, .explanationAccepted] {
            let effects = permission.apply(event)
            try await permission.save(in: store)
            for effect in effects {
                if effect == .showExplanation { record.add(.explanation) }
                if effect == .systemPrompt {
                    record.add(.prompt)
                    _ = permission.apply(.systemGranted)
                    try await permission.save(in: store)
                }
            }
        }
    }

    /// Logs out and forgets the account; returns the device that it was.
    func resetAccount() async throws -> Identifier {
        let (device, store) = try await running()
        try await device.unregister(route(of: "cheqi").provider)
        try await Device.eraseAccount(in: store)
        happen(.processEnded)
        return device.identity.device
    }

    /// Waits until the app has opened its store.
    func running() async throws -> (Device, PhoneStore) {
        for _ in 0..<500 {
            if let device = process?.device, let store = process?.store { return (device, store) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw StepFailure("the app of phone \(name) does not open its store")
    }

    /// What is on the disk, whatever the process believes.
    func receiptOnDisk(_ job: Identifier) async throws -> Receipt? {
        try await SQLiteStore(path: storePath).receipt(job)
    }

    /// Whether the gateway confirmed that token to this process.
    func hasUploaded(_ token: String) -> Bool {
        let registration: PushRegistration?
        switch process?.application {
        case .ios(let application): registration = application.registration
        case .android(let application): registration = application.registration
        case nil: registration = nil
        }
        return registration?.state == .uploaded && registration?.token == token
    }

    /// Of the installation whose app runs.
    func deviceID() -> Identifier? { process?.device?.identity.device }

    /// As the disk says it.
    func storedDevice() async throws -> Identifier? {
        try await Device.identity(platform: platform, store: SQLiteStore(path: storePath)).device
    }
}
