import Delivery
import Messages

extension AndroidApplication: PlatformApplication {
    var hasStore: Bool { store == .open }

    public mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .processStarted: return [.openStore] + register(.launched)
        case .storeOpened(let isEnrolled): return opened(isEnrolled: isEnrolled)
        case .storeFailed(let error):
            store = error.isDamage ? .damaged : .failed
            let unserved = waiting
            waiting = []
            return [.reportStore(error)] + unserved.map { .finish(name: $0, error.isDamage ? .failure : .retry) }
        case .bootCompleted: return [.enqueue(UniqueWork(.sync(.opportunistic), isExpedited: false))]
        case .becameActive:
            let synced = sync(.becameActive)
            guard store == .failed else { return register(.becameActive) + synced }
            // Storage was full, say: the owner who comes back may have made room.
            store = .opening
            return [.openStore] + synced
        case .enteredBackground: return sync(.enteredBackground)
        case .messageReceived(let payload, let priority): return message(payload, priority)
        case .messagesDeleted: return [.enqueue(UniqueWork(.sync(.deletedMessages), isExpedited: false))]
        case .token(let token): return register(.token(token))
        case .registrationRefused: return register(.refused)
        case .registrationTimedOut(let request): return register(.timedOut(request: request))
        case .uploaded(let token): return register(.uploaded(token))
        case .uploadFailed: return register(.uploadFailed)
        case .enrolled: return register(.enrolled) + sync(.ready)
        case .loggedOut: return register(.loggedOut)
        case .alerts(let areAllowed, let isChannelBlocked):
            showsAlerts = areAllowed && !isChannelBlocked
            return []
        case .workStarted(let name): return start(name)
        case .workEnded(let name, let result):
            guard let index = running.firstIndex(of: name) else { return [] }
            running.remove(at: index)
            return [.finish(name: name, result)]
        case .workStopped(let name):
            waiting.removeAll { $0 == name }
            guard let index = running.firstIndex(of: name) else { return [] }
            running.remove(at: index)
            return [.cancel(name: name)]
        case .syncEnded(let end): return sync(.ended(end))
        case .timerFired(let number): return sync(.timerFired(number))
        case .networkCameBack: return register(.becameActive) + sync(.networkCameBack)
        }
    }

    /// Validate, then show, then enqueue; nothing is fetched here, because the next message waits until this returns.
    private func message(_ payload: [UInt8], _ priority: Priority) -> [Effect] {
        switch HintVerdict(payload: payload) {
        case .invalid: return []
        case .unknown: return [.enqueue(UniqueWork(.sync(.opportunistic), isExpedited: false))]
        case .work(let hint):
            let work = UniqueWork(.job(hint.job), isExpedited: expedites && priority == .high)
            return (showsAlerts ? [.notify(hint.job, hint.documentType)] : []) + [.enqueue(work)]
        }
    }

    private mutating func opened(isEnrolled: Bool) -> [Effect] {
        store = .open
        var effects = isEnrolled ? register(.enrolled) : []
        let arrived = waiting
        waiting = []
        for name in arrived { effects += start(name) }
        return isEnrolled ? effects + sync(.ready) : effects
    }

    private mutating func start(_ name: String) -> [Effect] {
        guard let kind = UniqueWork.kind(named: name), store != .damaged else { return [.finish(name: name, .failure)] }
        if store == .failed { return [.finish(name: name, .retry)] }
        guard !running.contains(name), !waiting.contains(name) else { return [] }
        guard store == .open else {
            waiting.append(name)
            return []
        }
        running.append(name)
        return [.run(name: name, kind)]
    }
}

extension AndroidApplication.Effect: PlatformEffect {
    static func ask(request: Int, timeout: Int64) -> Self { .requestToken(request: request, timeout: timeout) }
}
