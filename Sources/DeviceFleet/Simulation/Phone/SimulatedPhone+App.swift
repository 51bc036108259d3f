import Delivery
import DeviceKit
import Messages

/// The host of the kit: carries out what the platform's reducer says.
extension SimulatedPhone {
    /// An event that both platforms know.
    func tellApp(ios: IOSApplication.Event, android: AndroidApplication.Event) {
        guard process != nil else { return }
        if configuration.platform == .ios { tellApp(ios) } else { tellApp(android) }
    }

    func tellApp(_ event: IOSApplication.Event) {
        if case .willPresent(let payload) = event { show(payload) }
        for effect in ios.apply(event) { perform(effect) }
    }

    func tellApp(_ event: AndroidApplication.Event) {
        for effect in android.apply(event) { perform(effect) }
    }

    private func perform(_ effect: IOSApplication.Effect) {
        switch effect {
        case .openStore: inProcess { await $0.openStore() }
        case .reportStore, .present: break
        case .registerForRemoteNotifications(let request, let timeout): askForToken(request, timeout)
        case .upload(let token): upload(token)
        case .detachToken: detach()
        case .receive(let push, let payload, let until): receive(push, payload, until)
        case .complete(let number, _): tell(.completed(number))
        case .foregroundSync: inProcess { await $0.sync() }
        case .foregroundWork: inProcess { await $0.work() }
        case .startTimer(let number, let delay):
            inProcess(after: delay) { await $0.tellApp(ios: .timerFired(number), android: .timerFired(number)) }
        case .sync(let origin):
            inProcess { phone in
                guard let device = await phone.device else { return }
                _ = try? await RequestCause.background.run { () async throws(DeviceError) in
                    try await device.sync(origin)
                }
            }
        }
    }

    private func perform(_ effect: AndroidApplication.Effect) {
        switch effect {
        case .openStore: inProcess { await $0.openStore() }
        case .reportStore: break
        case .requestToken(let request, let timeout): askForToken(request, timeout)
        case .upload(let token): upload(token)
        case .detachToken: detach()
        case .notify(let job, let type):
            var alert = ShownAlert(["\(type.rawValue)_TITLE", "\(type.rawValue)_BODY"])
            if configuration.defects.contains(.showsJob) { alert.texts.append("\(job)") }
            configuration.checker.shown(alert, of: job, on: configuration.number)
        case .enqueue(let work): enqueue(work)
        case .run(let name, let kind): workers[name] = inProcess { await $0.run(name, kind) }
        case .finish(let name, let result): tell(.finished(name, result))
        case .cancel(let name): workers.removeValue(forKey: name)?.cancel()
        case .foregroundSync: inProcess { await $0.sync() }
        case .foregroundWork: inProcess { await $0.work() }
        case .startTimer(let number, let delay):
            inProcess(after: delay) { await $0.tellApp(ios: .timerFired(number), android: .timerFired(number)) }
        }
    }

    private func askForToken(_ request: Int, _ timeout: Int64) {
        configuration.checker.registered(configuration.number)
        tell(.registrationAsked)
        inProcess(after: timeout) { phone in
            await phone.tellApp(
                ios: .registrationTimedOut(request: request), android: .registrationTimedOut(request: request))
        }
    }

    private func upload(_ token: String) {
        inProcess { phone in
            guard let device = await phone.device else { return }
            do {
                try await device.register(token, kind: .token, route: phone.configuration.route)
                await phone.tellApp(ios: .uploaded(token), android: .uploaded(token))
            } catch {
                await phone.tellApp(ios: .uploadFailed, android: .uploadFailed)
            }
        }
    }

    private func detach() {
        inProcess { phone in try? await phone.device?.unregister(phone.configuration.platform.provider) }
    }

    /// A request that stops work under way is only possible with a scheduler that replaces.
    private func enqueue(_ work: UniqueWork) {
        guard case .android(let before) = system else { return }
        tell(.enqueued(work))
        guard case .android(let after) = system else { return }
        if after.scheduler.replacements > before.scheduler.replacements {
            configuration.checker.report(
                "I-21: a request for \(work.name) stopped the work under way (phone \(configuration.number))")
        }
    }

    private func receive(_ push: Int, _ payload: [UInt8], _ until: Int64?) {
        inProcess { phone in
            guard let device = await phone.device else { return }
            var job: Identifier?
            if case .work(let hint) = HintVerdict(payload: payload) { job = hint.job }
            let fetchesOthers = phone.configuration.defects.contains(.fetchesOthers)
            let end = try? await RequestCause.hint(job).run { () async throws(DeviceError) in
                let end = try await device.receive(payload, until: until)
                if fetchesOthers, job != nil { _ = try await device.sync(.hint, until: until) }
                return end
            }
            _ = try? await RequestCause.coalescedSync.run { () async throws(DeviceError) in
                try await device.syncIfWished(until: until)
            }
            await phone.tellApp(.received(push: push, end.map { IOSApplication.FetchResult($0) } ?? .failed))
        }
        guard let until else { return }
        inProcess(after: until - now) { await $0.tellApp(.windowEnded(push: push)) }
    }
}
