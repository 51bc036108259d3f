public import Delivery

/// What an app on iOS does when the system calls it, as a value: events go in, effects come out for the host to carry out
/// in their order. One per process; everything that has to outlive the process is in the work store.
public struct IOSApplication: Equatable, Sendable {
    public enum Event: Equatable, Sendable {
        /// `application(_:didFinishLaunchingWithOptions:)`, whatever started the app.
        case launched(isProtectedDataAvailable: Bool)
        /// `applicationProtectedDataDidBecomeAvailable`: the first unlock after a restart.
        case protectedDataBecameAvailable
        case storeOpened(isEnrolled: Bool)
        /// The store cannot be opened; nothing can be worked on.
        case storeFailed(WorkStoreError)
        case becameActive
        case enteredBackground
        /// `didRegisterForRemoteNotificationsWithDeviceToken`, as hexadecimal.
        case token(String)
        case registrationRefused
        case registrationTimedOut(request: Int)
        case uploaded(String)
        case uploadFailed
        case enrolled
        case loggedOut
        /// `userNotificationCenter(_:willPresent:)`: a push came while the app is in the foreground.
        case willPresent([UInt8])
        /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`. In the foreground iOS calls both for the
        /// same push, in any order. `now` is monotonic, milliseconds.
        case remoteNotification([UInt8], completion: Int, now: Int64)
        /// The effect `receive` of that number ended.
        case received(push: Int, FetchResult)
        /// The time of the effect `receive` of that number is over.
        case windowEnded(push: Int)
        /// `foregroundSync` or `foregroundWork` ended.
        case syncEnded(ForegroundSync.End)
        case timerFired(Int)
        /// The path monitor says that there is a network again.
        case networkCameBack
    }

    public enum Effect: Equatable, Sendable {
        case openStore
        /// Tell the user that the store cannot be used, and offer to enrol anew.
        case reportStore(WorkStoreError)
        /// `registerForRemoteNotifications()`; tell `registrationTimedOut` after so many milliseconds.
        case registerForRemoteNotifications(request: Int, timeout: Int64)
        case upload(String)
        case detachToken
        /// Give the payload to `Device.receive` with that deadline, then `syncIfWished`; tell `received`, and tell
        /// `windowEnded` at the deadline. `nil`: in the foreground there is none.
        case receive(push: Int, [UInt8], until: Int64?)
        /// Call that fetch completion handler; comes exactly once for each.
        case complete(Int, FetchResult)
        /// Answer `willPresent` with banner, list and sound.
        case present
        /// `Device.foreground`; tell `syncEnded`.
        case foregroundSync
        /// `Device.work`; tell `syncEnded`.
        case foregroundWork
        /// Tell `timerFired` after so many milliseconds.
        case startTimer(Int, after: Int64)
        /// `Device.sync`, as far as the system lets it come.
        case sync(Origin)
    }

    /// `UIBackgroundFetchResult`.
    public enum FetchResult: String, Equatable, Sendable, CaseIterable {
        case newData, noData, failed
    }

    /// The system gives about 30 s; what is begun later than this is better left to the next time.
    public static let window: Int64 = 25_000

    enum Store: Equatable, Sendable { case locked, opening, open, failed, damaged }

    struct Push: Equatable, Sendable {
        var number: Int
        var job: Identifier?
        var payload: [UInt8]
        var deadline: Int64?
        var completions: [Int]
    }

    public internal(set) var registration = PushRegistration()
    public internal(set) var foreground = ForegroundSync()
    var store = Store.locked
    /// Being worked on.
    var running: [Push] = []
    /// Came while the store was being opened.
    var waiting: [Push] = []
    /// A hint came that could not even be looked at.
    var missedHint = false
    var pushes = 0

    public init() {}
}
