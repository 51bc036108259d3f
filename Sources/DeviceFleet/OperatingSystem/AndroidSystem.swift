import DeviceKit

/// What Android and FCM do with one app and its messages.
public struct AndroidSystem: Equatable, Sendable {
    /// High-priority messages without a notification that FCM takes before it delivers them as normal ones.
    public static let patience = 5
    /// After a message of high priority the app may work for so long, whatever the battery rules say.
    public static let exemption: Int64 = 20_000

    public private(set) var settings = PhoneSettings()
    public private(set) var isUnlocked = true
    public private(set) var isForceStopped = false
    public private(set) var hasProcess = false
    public private(set) var isActive = false
    public private(set) var isDozing = false
    public private(set) var isOnline = true
    public internal(set) var scheduler: WorkScheduler
    /// Came while the phone was locked or, with normal priority, dozing.
    private var held: [PushQueue.Delivery] = []
    private var invisible = 0
    private var exemptUntil: Int64 = 0
    /// The timer that was started last.
    private var wakeUp: Int64?

    public init(scheduler: WorkScheduler = WorkScheduler()) { self.scheduler = scheduler }

    public mutating func apply(_ event: PhoneEvent, now: Int64, luck: Double) -> [PhoneEffect] {
        var effects = changed(event, now: now)
        effects += stopped(scheduler.stop(scheduler.overdue(now: now)))
        let started = scheduler.start(
            WorkScheduler.Conditions(
                isOnline: isOnline, isDozing: isDozing,
                mayRun: isUnlocked && !isForceStopped && (!settings.restrictsBattery || isActive),
                isExempt: isActive || now < exemptUntil), now: now)
        for name in started { effects += start() + [.android(.workStarted(name))] }
        if let time = wakeUp, time <= now { wakeUp = nil }
        if let time = scheduler.nextTime(after: now), time != wakeUp {
            wakeUp = time
            effects.append(.startTimer(0, after: time - now))
        }
        return effects
    }

    private mutating func changed(_ event: PhoneEvent, now: Int64) -> [PhoneEffect] {
        switch event {
        case .delivered(let delivery): return deliver(delivery, now: now)
        case .opened:
            guard !isActive else { return [] }
            isForceStopped = false
            isDozing = false
            let unlocked = unlock(now: now)
            let started = start()
            isActive = true
            return unlocked + started + [.android(.becameActive)]
        case .left:
            guard isActive else { return [] }
            isActive = false
            return [.android(.enteredBackground)]
        case .forceQuit:
            isForceStopped = true
            held = []
            return end()
        case .restarted:
            isUnlocked = false
            isDozing = false
            return end()
        case .unlocked: return unlock(now: now)
        case .settings(let new):
            settings = new
            return hasProcess ? [alerts] : []
        case .network(let isThere):
            isOnline = isThere
            if isThere { return hasProcess ? [.android(.networkCameBack)] : [] }
            return stopped(scheduler.stop())
        case .dozing(let flag):
            guard !isActive, flag != isDozing else { return [] }
            isDozing = flag
            return flag ? [] : release(now: now)
        case .processEnded: return end()
        case .enqueued(let work): return stopped(scheduler.enqueue(work))
        case .finished(let name, let result):
            scheduler.finish(name, result, now: now)
            return []
        case .registrationAsked: return [.giveToken]
        case .timer, .completed: return []
        }
    }

    private mutating func deliver(_ delivery: PushQueue.Delivery, now: Int64) -> [PhoneEffect] {
        // The broadcast to a force-stopped app is cancelled, and nobody is told.
        guard !isForceStopped else { return [] }
        guard isUnlocked else {
            held.append(delivery)
            return []
        }
        guard case .message(let message) = delivery else { return start() + [.android(.messagesDeleted)] }
        let isHigh = message.isHigh && invisible < AndroidSystem.patience
        if isDozing, !isHigh {
            held.append(delivery)
            return []
        }
        if isHigh { exemptUntil = now + AndroidSystem.exemption }
        invisible = settings.showsAlerts || isActive ? 0 : invisible + 1
        return start() + [.android(.messageReceived(message.payload, priority: isHigh ? .high : .normal))]
    }

    private mutating func unlock(now: Int64) -> [PhoneEffect] {
        guard !isUnlocked else { return [] }
        isUnlocked = true
        let booted: [PhoneEffect] = isForceStopped ? [] : start() + [.android(.bootCompleted)]
        return booted + release(now: now)
    }

    private mutating func release(now: Int64) -> [PhoneEffect] {
        let waiting = held
        held = []
        return waiting.flatMap { deliver($0, now: now) }
    }

    private mutating func start() -> [PhoneEffect] {
        guard !hasProcess else { return [] }
        hasProcess = true
        return [.launch, .android(.processStarted), alerts]
    }

    private mutating func end() -> [PhoneEffect] {
        isActive = false
        defer { hasProcess = false }
        // Work that a process was at when it died is run again.
        _ = scheduler.stop()
        return hasProcess ? [.terminate] : []
    }

    private func stopped(_ names: [String]) -> [PhoneEffect] { names.map { .android(.workStopped($0)) } }

    private var alerts: PhoneEffect {
        .android(.alerts(areAllowed: settings.showsAlerts, isChannelBlocked: false))
    }
}
