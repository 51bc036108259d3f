public import Delivery

/// What an app on Android does when the system calls it, as a value: events go in, effects come out for the host to carry
/// out in their order. One per process; what has to outlive it is in the work store and in the scheduler.
public struct AndroidApplication: Equatable, Sendable {
    /// `RemoteMessage.getPriority()`: as delivered, which may be lower than as sent.
    public enum Priority: String, Equatable, Sendable, CaseIterable {
        case high, normal
    }

    public enum Event: Equatable, Sendable {
        /// `Application.onCreate`, whatever started the process.
        case processStarted
        case storeOpened(isEnrolled: Bool)
        case storeFailed(WorkStoreError)
        /// `BOOT_COMPLETED`, which comes after the first unlock.
        case bootCompleted
        case becameActive
        case enteredBackground
        /// `onMessageReceived` with its data map as one JSON object.
        case messageReceived([UInt8], priority: Priority)
        /// `onDeletedMessages`.
        case messagesDeleted
        /// `onNewToken`, the answer to a request for the token, or a Firebase installation id.
        case token(String)
        case registrationRefused
        case registrationTimedOut(request: Int)
        case uploaded(String)
        case uploadFailed
        case enrolled
        case loggedOut
        /// What `areNotificationsEnabled` and the channel's importance say.
        case alerts(areAllowed: Bool, isChannelBlocked: Bool)
        /// The scheduler runs the worker of that name.
        case workStarted(String)
        case workEnded(String, WorkResult)
        /// `onStopped`: the scheduler takes the execution away.
        case workStopped(String)
        /// `foregroundSync` or `foregroundWork` ended.
        case syncEnded(ForegroundSync.End)
        case timerFired(Int)
        /// `ConnectivityManager` says that there is a network again.
        case networkCameBack
    }

    public enum Effect: Equatable, Sendable {
        case openStore
        /// Tell the user that the store cannot be used, and offer to enrol anew.
        case reportStore(WorkStoreError)
        /// Ask Firebase for the token or the installation id; tell `registrationTimedOut` after so many milliseconds.
        case requestToken(request: Int, timeout: Int64)
        case upload(String)
        case detachToken
        /// Post the notification with the job as its tag; a failure stops nothing.
        case notify(Identifier, DocumentType)
        case enqueue(UniqueWork)
        /// `Device.process` and then `syncIfWished` for a job, `Device.coalescedSync` for an opportunistic sync, `Device.sync`
        /// for any other; tell `workEnded`.
        case run(name: String, UniqueWork.Kind)
        /// End the worker of that name with this result.
        case finish(name: String, WorkResult)
        /// Stop what `run` of that name began; its state is in the store.
        case cancel(name: String)
        /// `Device.foreground`; tell `syncEnded`.
        case foregroundSync
        /// `Device.work`; tell `syncEnded`.
        case foregroundWork
        /// Tell `timerFired` after so many milliseconds.
        case startTimer(Int, after: Int64)
    }

    enum Store: Equatable, Sendable { case opening, open, failed, damaged }

    public internal(set) var registration = PushRegistration()
    public internal(set) var foreground = ForegroundSync()
    public internal(set) var showsAlerts = true
    /// False below Android 12 (API 31), where expedited work would need a foreground service.
    public let expedites: Bool
    var store = Store.opening
    /// Workers that the scheduler started before the store was open, and those that run.
    var waiting: [String] = []
    var running: [String] = []

    public init(expedites: Bool = true) { self.expedites = expedites }
}
