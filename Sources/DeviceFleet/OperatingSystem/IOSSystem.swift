import DeviceKit

/// What iOS does with one app and its pushes. `luck`, from 0 up to 1, decides what Apple leaves open.
public struct IOSSystem: Equatable, Sendable {
    /// How often a push gets a window in the background when nothing forbids it.
    public var windowProbability = 0.8
    /// Milliseconds of a window, and of the time after the app was left.
    public static let window: Int64 = 30_000
    public static let afterLeaving: Int64 = 5_000

    public private(set) var settings = PhoneSettings()
    public private(set) var isUnlocked = true
    public private(set) var isForceQuit = false
    public private(set) var hasProcess = false
    public private(set) var isActive = false
    private var isSuspended = false
    /// Windows that are open, by the number of their completion and timer.
    private var windows: Set<Int> = []
    private var numbers = 0

    public init() {}

    public mutating func apply(_ event: PhoneEvent, now: Int64, luck: Double) -> [PhoneEffect] {
        switch event {
        case .delivered(.message(let message)): return push(message.payload, now: now, luck: luck)
        case .opened: return open()
        case .left:
            guard isActive else { return [] }
            isActive = false
            return [.ios(.enteredBackground)] + openWindow(for: IOSSystem.afterLeaving).effects
        case .forceQuit:
            isForceQuit = true
            return end()
        case .restarted:
            // Only its owner or a restart lets a force-quit app run again.
            isForceQuit = false
            isUnlocked = false
            return end()
        case .unlocked:
            guard !isUnlocked else { return [] }
            isUnlocked = true
            return hasProcess ? [.ios(.protectedDataBecameAvailable)] : []
        case .settings(let new):
            settings = new
            return []
        case .network(let isOnline): return isOnline && isActive ? [.ios(.networkCameBack)] : []
        case .processEnded: return end()
        case .timer(let number), .completed(let number):
            guard windows.remove(number) != nil else { return [] }
            return suspendIfIdle()
        case .registrationAsked:
            // With both off, neither callback is ever called.
            return settings.showsAlerts || settings.refreshesInBackground ? [.giveToken] : []
        case .delivered(.deletedMessages), .dozing, .enqueued, .finished: return []
        }
    }

    private mutating func push(_ payload: [UInt8], now: Int64, luck: Double) -> [PhoneEffect] {
        if isActive {
            let received = PhoneEffect.ios(.remoteNotification(payload, completion: number(), now: now))
            guard settings.showsAlerts else { return [received] }
            let presented = PhoneEffect.ios(.willPresent(payload))
            return luck < 0.5 ? [presented, received] : [received, presented]
        }
        let shown = settings.showsAlerts ? [PhoneEffect.show(payload, isSilent: settings.isFocused)] : []
        guard !isForceQuit, settings.refreshesInBackground, !settings.savesPower, luck < windowProbability else {
            return shown
        }
        let started = start()
        let (number, timer) = openWindow(for: IOSSystem.window)
        return shown + started + timer + [.ios(.remoteNotification(payload, completion: number, now: now))]
    }

    private mutating func open() -> [PhoneEffect] {
        guard !isActive else { return [] }
        isForceQuit = false
        let wasLocked = !isUnlocked
        isUnlocked = true
        // Nobody opens an app on a locked phone.
        let unlocked: [PhoneEffect] = wasLocked && hasProcess ? [.ios(.protectedDataBecameAvailable)] : []
        let started = start()
        isActive = true
        windows = []
        return started + unlocked + [.ios(.becameActive)]
    }

    private mutating func start() -> [PhoneEffect] {
        defer { isSuspended = false }
        guard !hasProcess else { return isSuspended ? [.resume] : [] }
        hasProcess = true
        return [.launch, .ios(.launched(isProtectedDataAvailable: isUnlocked))]
    }

    private mutating func end() -> [PhoneEffect] {
        isActive = false
        isSuspended = false
        windows = []
        defer { hasProcess = false }
        return hasProcess ? [.terminate] : []
    }

    private mutating func suspendIfIdle() -> [PhoneEffect] {
        guard hasProcess, !isActive, !isSuspended, windows.isEmpty else { return [] }
        isSuspended = true
        return [.suspend]
    }

    private mutating func openWindow(for time: Int64) -> (number: Int, effects: [PhoneEffect]) {
        let number = number()
        windows.insert(number)
        return (number, [.startTimer(number, after: time)])
    }

    private mutating func number() -> Int {
        numbers += 1
        return numbers
    }
}
