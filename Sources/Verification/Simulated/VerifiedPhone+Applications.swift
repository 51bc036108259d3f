import Delivery
import DeviceFleet
import DeviceKit
import DeviceStore

// What the two applications decide, carried out.
extension VerifiedPhone {
    func carryOut(_ effect: IOSApplication.Effect) {
        switch effect {
        case .openStore: open()
        case .reportStore: break
        case .registerForRemoteNotifications(let request, let timeout):
            happen(.registrationAsked)
            after(timeout) { await $0.tell(IOSApplication.Event.registrationTimedOut(request: request)) }
        case .upload(let token): upload(token)
        case .detachToken: detach()
        case .receive(let push, let payload, let deadline):
            if let deadline {
                after(deadline - monotonic) { await $0.tell(IOSApplication.Event.windowEnded(push: push)) }
            }
            withDevice { device, phone in
                let end = try await phone.receive(payload, device, deadline)
                await phone.tell(IOSApplication.Event.received(push: push, IOSApplication.FetchResult(end)))
            } failed: { phone in
                await phone.tell(IOSApplication.Event.received(push: push, .failed))
            }
        case .complete(let number, _): happen(.completed(number))
        case .present: shown()
        case .foregroundSync: foreground { try await $0.foreground() }
        case .foregroundWork: foreground { try await $0.work() }
        case .startTimer(let number, let delay):
            after(delay) { await $0.tell(IOSApplication.Event.timerFired(number)) }
        case .sync(let origin): withDevice { device, _ in try await device.sync(origin) }
        }
    }

    func carryOut(_ effect: AndroidApplication.Effect) {
        switch effect {
        case .openStore: open()
        case .reportStore: break
        case .requestToken(let request, let timeout):
            happen(.registrationAsked)
            after(timeout) { await $0.tell(AndroidApplication.Event.registrationTimedOut(request: request)) }
        case .upload(let token): upload(token)
        case .detachToken: detach()
        case .notify: shown()
        case .enqueue(let work): happen(.enqueued(work))
        case .run(let name, let kind): run(name, kind)
        case .finish(let name, let result): happen(.finished(name, result))
        // Its state is in the store; what the task still says names a worker that does not run.
        case .cancel: break
        case .foregroundSync: foreground { try await $0.foreground() }
        case .foregroundWork: foreground { try await $0.work() }
        case .startTimer(let number, let delay):
            after(delay) { await $0.tell(AndroidApplication.Event.timerFired(number)) }
        }
    }

    private func run(_ name: String, _ kind: UniqueWork.Kind) {
        let fetchesOthers = setting.defect == .hintFetchesOthers
        withDevice { device, phone in
            let result: WorkResult
            switch kind {
            case .job(let job):
                if fetchesOthers { try await device.sync(.hint) }
                result = WorkResult(try await device.process(job))
                try await device.syncIfWished()
            case .sync(.opportunistic):
                try await device.coalescedSync()
                result = .success
            case .sync(let origin):
                try await device.sync(origin)
                result = .success
            }
            await phone.tell(AndroidApplication.Event.workEnded(name, result))
        } failed: { phone in
            await phone.tell(AndroidApplication.Event.workEnded(name, .retry))
        }
    }

    private nonisolated func receive(
        _ payload: [UInt8], _ device: Device, _ deadline: Int64?
    ) async throws -> HintEnd {
        if setting.defect == .hintFetchesOthers { try await device.sync(.hint, until: deadline) }
        let end = try await device.receive(payload, until: deadline)
        try await device.syncIfWished(until: deadline)
        return end
    }

    private func foreground(_ body: @escaping @Sendable (Device) async throws -> Int64?) {
        withDevice { device, phone in
            let due = try await body(device)
            let wait = await due.map { [wall = phone.wall] in $0 - wall }
            await phone.syncEnded(.done(dueIn: wait))
        } failed: { phone in
            await phone.syncEnded(.failed)
        }
    }

    private func syncEnded(_ end: ForegroundSync.End) {
        switch platform {
        case .ios: tell(IOSApplication.Event.syncEnded(end))
        case .android: tell(AndroidApplication.Event.syncEnded(end))
        }
    }

    private func upload(_ token: String) {
        let route = route(of: "cheqi")
        withDevice { device, phone in
            try await device.register(token, kind: .token, route: route)
            await phone.uploaded(token)
        } failed: { phone in
            await phone.uploaded(nil)
        }
    }

    private func uploaded(_ token: String?) {
        switch (platform, token) {
        case (.ios, let token?): tell(IOSApplication.Event.uploaded(token))
        case (.ios, nil): tell(IOSApplication.Event.uploadFailed)
        case (.android, let token?): tell(AndroidApplication.Event.uploaded(token))
        case (.android, nil): tell(AndroidApplication.Event.uploadFailed)
        }
    }

    private func detach() {
        let provider = route(of: "cheqi").provider
        withDevice { device, _ in try await device.unregister(provider) }
    }

    private func withDevice(
        _ body: @escaping @Sendable (Device, VerifiedPhone) async throws -> Void,
        failed: @escaping @Sendable (VerifiedPhone) async -> Void = { _ in }
    ) {
        guard let device = process?.device else { return }
        work { phone, number in
            do {
                try await body(device, phone)
            } catch {
                if await phone.isRunning(number) { await failed(phone) }
            }
        }
    }
}
