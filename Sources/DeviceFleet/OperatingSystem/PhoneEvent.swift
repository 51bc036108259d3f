public import DeviceKit

/// What happens to a phone, by its owner, its surroundings, its push service or the app itself.
public enum PhoneEvent: Equatable, Sendable {
    case delivered(PushQueue.Delivery)
    case opened, left
    /// Swiped away on iOS, force-stopped on Android.
    case forceQuit
    /// The phone restarts and stays locked.
    case restarted
    case unlocked
    case settings(PhoneSettings)
    case network(Bool)
    case dozing(Bool)
    /// The app crashed, or the system needed its memory.
    case processEnded
    case timer(Int)
    /// The app asked for its push token.
    case registrationAsked
    /// iOS: the app called that fetch completion handler.
    case completed(Int)
    /// Android: the app gave the scheduler work, or a worker of that name ended.
    case enqueued(UniqueWork)
    case finished(String, WorkResult)
}

/// What the system does about it, in this order.
public enum PhoneEffect: Equatable, Sendable {
    /// A process for the app; the events for it follow.
    case launch
    case terminate
    /// Stop and go on executing; whatever the app was at stays as it is.
    case suspend, resume
    case ios(IOSApplication.Event)
    case android(AndroidApplication.Event)
    /// The system shows the alert of a push itself; filed without a sound under a Focus.
    case show([UInt8], isSilent: Bool)
    /// Give the app its token.
    case giveToken
    /// Tell `timer` after so many milliseconds.
    case startTimer(Int, after: Int64)
}
