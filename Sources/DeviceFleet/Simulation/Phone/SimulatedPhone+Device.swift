import Delivery
import DeviceKit
import DeviceStore

extension SimulatedPhone {
    /// Opens store and device of the process, and enrols if there is no account yet.
    func openStore() async {
        guard let process else { return }
        configuration.checker.inspect(disk.durable, of: configuration.number)
        let store = GatedStore(disk: disk, process: process, defects: configuration.defects)
        let hosts = DeviceHosts(
            transport: transport(process), store: store, keys: StoredKeys(store: store), clock: configuration.timers,
            random: random, journal: configuration.journal)
        let opened: Device
        let shown: NotificationPermission
        do {
            opened = try await Device(
                platform: configuration.platform, settings: configuration.device, hosts: hosts)
            shown = try await NotificationPermission.load(from: store)
        } catch {
            guard process === self.process else { return }
            return tellApp(ios: .storeFailed(error), android: .storeFailed(error))
        }
        guard process === self.process else { return }
        device = opened
        self.store = store
        permission = shown
        let isEnrolled = opened.identity.account != nil
        tellApp(ios: .storeOpened(isEnrolled: isEnrolled), android: .storeOpened(isEnrolled: isEnrolled))
        lacksAccount = !isEnrolled
        enrol()
    }

    /// As long as the owner looks at the login, and again at the next look.
    func enrol() {
        guard let device, let process, lacksAccount, !isEnrolling else { return }
        isEnrolling = true
        inProcess { await $0.enrol(device, process) }
    }

    private func enrol(_ device: Device, _ process: AppProcess) async {
        defer { if process === self.process { isEnrolling = false } }
        while !process.isDead, system.isActive {
            do {
                _ = try await device.enrol(ticket: configuration.ticket())
                guard process === self.process else { return }
                lacksAccount = false
                return tellApp(ios: .enrolled, android: .enrolled)
            } catch {
                await configuration.timers.sleep(5_000)
            }
        }
    }

    private func transport(_ process: AppProcess) -> GatedTransport {
        let (checker, number, disk, link) = (configuration.checker, configuration.number, disk, link)
        let timers = configuration.timers
        return GatedTransport(
            base: configuration.transport, process: process, isOnline: { link.isUp },
            sending: { request, cause in
                checker.sending(
                    request, for: cause, by: number, disk: disk.durable, now: timers.monotonic())
            },
            answered: { request, answer in checker.answered(request, answer, to: number) })
    }

    func sync() async { await untilDue { device throws(DeviceError) in try await device.foreground() } }

    func work() async { await untilDue { device throws(DeviceError) in try await device.work() } }

    private func untilDue(_ body: @Sendable (Device) async throws(DeviceError) -> Int64?) async {
        guard let device, let process else { return }
        let timers = configuration.timers
        var end: ForegroundSync.End
        do throws(DeviceError) {
            let due = try await RequestCause.foreground.run { () async throws(DeviceError) in try await body(device) }
            end = .done(dueIn: due.map { max($0 - timers.wall(), 0) })
        } catch {
            end = error == .revoked ? .revoked : .failed
        }
        guard process === self.process else { return }
        tellApp(ios: .syncEnded(end), android: .syncEnded(end))
    }

    /// A worker of Android's scheduler.
    func run(_ name: String, _ kind: UniqueWork.Kind) async {
        guard let device, let process else { return }
        let result: WorkResult
        do throws(DeviceError) {
            result = try await work(device, kind)
        } catch {
            result = error == .revoked ? .failure : .retry
        }
        guard process === self.process, !Task.isCancelled else { return }
        workers[name] = nil
        tellApp(.workEnded(name, result))
    }

    private func work(_ device: Device, _ kind: UniqueWork.Kind) async throws(DeviceError) -> WorkResult {
        switch kind {
        case .job(let job):
            let fetchesOthers = configuration.defects.contains(.fetchesOthers)
            let end = try await RequestCause.hint(job).run { () async throws(DeviceError) in
                let end = try await device.process(job)
                if fetchesOthers { _ = try await device.sync(.hint) }
                return end
            }
            try await RequestCause.coalescedSync.run { () async throws(DeviceError) in
                _ = try await device.syncIfWished()
            }
            return WorkResult(end)
        case .sync(.opportunistic):
            let isDone = try await RequestCause.coalescedSync.run { () async throws(DeviceError) in
                try await device.coalescedSync()
            }
            return isDone ? .success : .retry
        case .sync(let origin):
            try await RequestCause.background.run { () async throws(DeviceError) in
                _ = try await device.sync(origin)
            }
            return .success
        }
    }
}
