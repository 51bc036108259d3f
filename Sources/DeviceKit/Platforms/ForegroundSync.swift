/// The authoritative sync of an app that its owner looks at: one each time the app becomes active, again until it succeeds,
/// and then the work that falls due while the app stays open.
public struct ForegroundSync: Equatable, Sendable {
    public enum End: Equatable, Sendable {
        /// Milliseconds until something is due again.
        case done(dueIn: Int64?)
        case failed
        /// The server does not know this device any more; only an enrolment brings work again.
        case revoked
    }

    public enum Event: Equatable, Sendable {
        /// There is a store with an account.
        case ready
        case becameActive
        case enteredBackground
        case networkCameBack
        case ended(End)
        case timerFired(Int)
    }

    public enum Effect: Equatable, Sendable {
        /// `Device.foreground`; tell `ended`.
        case sync
        /// `Device.work`; tell `ended`.
        case work
        /// Tell `timerFired` after so many milliseconds.
        case startTimer(Int, after: Int64)
    }

    /// The longest pause between two syncs that fail while the owner waits.
    public static let longestPause: Int64 = 30_000

    public private(set) var isActive = false
    private var isReady = false
    private var isRunning = false
    private var owesSync = false
    private var failures = 0
    private var timer = 0

    public init() {}

    public mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .ready:
            isReady = true
            return next()
        case .becameActive:
            guard !isActive else { return [] }
            isActive = true
            owesSync = true
            failures = 0
            return next()
        case .enteredBackground:
            isActive = false
            timer += 1
            return []
        case .networkCameBack:
            guard isActive else { return [] }
            owesSync = true
            return next()
        case .timerFired(let number): return number == timer ? next(orWork: true) : []
        case .ended(let end): return ended(end)
        }
    }

    private mutating func next(orWork: Bool = false) -> [Effect] {
        guard isReady, isActive, !isRunning, owesSync || orWork else { return [] }
        isRunning = true
        timer += 1
        guard owesSync else { return [.work] }
        owesSync = false
        return [.sync]
    }

    private mutating func ended(_ end: End) -> [Effect] {
        isRunning = false
        switch end {
        case .done(let due):
            failures = 0
            if owesSync { return next() }
            guard isActive, let due else { return [] }
            timer += 1
            return [.startTimer(timer, after: max(due, 250))]
        case .failed:
            guard isActive else { return [] }
            owesSync = true
            failures += 1
            timer += 1
            let pause = min(1_000 << Int64(min(failures - 1, 10)), ForegroundSync.longestPause)
            return [.startTimer(timer, after: pause)]
        case .revoked:
            isReady = false
            return []
        }
    }
}
