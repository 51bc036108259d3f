import Delivery
import Messages

extension IOSApplication: PlatformApplication {
    var hasStore: Bool { store == .open }

    public mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .launched(let isAvailable):
            let asked = register(.launched)
            guard isAvailable else { return asked }
            store = .opening
            return asked + [.openStore]
        case .protectedDataBecameAvailable:
            guard store == .locked else { return [] }
            store = .opening
            return [.openStore]
        case .storeOpened(let isEnrolled): return opened(isEnrolled: isEnrolled)
        case .storeFailed(let error):
            store = error.isDamage ? .damaged : .failed
            let unread = waiting
            waiting = []
            return [.reportStore(error)] + unread.flatMap { ended($0, .failed) }
        case .becameActive:
            let synced = sync(.becameActive)
            guard store == .failed else { return register(.becameActive) + synced }
            // Storage was full, say: the owner who comes back may have made room.
            store = .opening
            return [.openStore] + synced
        case .enteredBackground: return sync(.enteredBackground)
        case .token(let token): return register(.token(token))
        case .registrationRefused: return register(.refused)
        case .registrationTimedOut(let request): return register(.timedOut(request: request))
        case .uploaded(let token): return register(.uploaded(token))
        case .uploadFailed: return register(.uploadFailed)
        case .enrolled: return register(.enrolled) + sync(.ready)
        case .loggedOut: return register(.loggedOut)
        case .willPresent(let payload): return [.present] + push(payload, completion: nil, deadline: nil)
        case .remoteNotification(let payload, let completion, let now):
            return push(
                payload, completion: completion, deadline: foreground.isActive ? nil : now + IOSApplication.window)
        case .received(let number, let result): return end(number, result)
        case .windowEnded(let number): return end(number, .failed)
        case .syncEnded(let end): return sync(.ended(end))
        case .timerFired(let number): return sync(.timerFired(number))
        case .networkCameBack: return register(.becameActive) + sync(.networkCameBack)
        }
    }

    private mutating func opened(isEnrolled: Bool) -> [Effect] {
        store = .open
        var effects = isEnrolled ? register(.enrolled) : []
        let arrived = waiting
        waiting = []
        for push in arrived { effects.append(start(push)) }
        guard isEnrolled else { return effects }
        effects += sync(.ready)
        if missedHint, !foreground.isActive { effects.append(.sync(.opportunistic)) }
        missedHint = false
        return effects
    }

    private mutating func push(_ payload: [UInt8], completion: Int?, deadline: Int64?) -> [Effect] {
        var job: Identifier?
        if case .work(let hint) = HintVerdict(payload: payload) { job = hint.job }
        pushes += 1
        let new = Push(
            number: pushes, job: job, payload: payload, deadline: deadline, completions: completion.map { [$0] } ?? [])
        switch store {
        case .locked:
            // No attempt was made, and none is counted: the first unlock brings a sync.
            missedHint = true
            return ended(new, .noData)
        case .failed, .damaged: return ended(new, .failed)
        case .opening:
            waiting.append(new)
            return []
        case .open:
            // The other callback for the same push, or the same hint again: it ends with the work that is under way.
            if let job, let index = running.firstIndex(where: { $0.job == job }) {
                running[index].completions += new.completions
                return []
            }
            return [start(new)]
        }
    }

    private mutating func start(_ push: Push) -> Effect {
        running.append(push)
        return .receive(push: push.number, push.payload, until: push.deadline)
    }

    private mutating func end(_ number: Int, _ result: FetchResult) -> [Effect] {
        guard let index = running.firstIndex(where: { $0.number == number }) else { return [] }
        return ended(running.remove(at: index), result)
    }

    private func ended(_ push: Push, _ result: FetchResult) -> [Effect] {
        push.completions.map { .complete($0, result) }
    }
}

extension IOSApplication.FetchResult {
    /// What the system is told about a hint: new data only if the receipt's job came to its end.
    public init(_ end: HintEnd) { self = end == .work(.finished) ? .newData : .noData }
}

extension IOSApplication.Effect: PlatformEffect {
    static func ask(request: Int, timeout: Int64) -> Self {
        .registerForRemoteNotifications(request: request, timeout: timeout)
    }
}
