/// What the applications of both platforms do alike with their push token and their foreground sync.
protocol PlatformApplication {
    associatedtype Effect: PlatformEffect

    var registration: PushRegistration { get set }
    var foreground: ForegroundSync { get set }
    /// Without it nobody can sign a call: an upload comes with the store.
    var hasStore: Bool { get }
}

/// The effects by which they do it.
protocol PlatformEffect {
    /// Ask the platform for the push token; tell `registrationTimedOut` after so many milliseconds.
    static func ask(request: Int, timeout: Int64) -> Self
    static func upload(_ token: String) -> Self
    static var detachToken: Self { get }
    static var foregroundSync: Self { get }
    static var foregroundWork: Self { get }
    static func startTimer(_ number: Int, after: Int64) -> Self
}

extension PlatformApplication {
    mutating func sync(_ event: ForegroundSync.Event) -> [Effect] {
        foreground.apply(event).map { effect in
            switch effect {
            case .sync: .foregroundSync
            case .work: .foregroundWork
            case .startTimer(let number, let delay): .startTimer(number, after: delay)
            }
        }
    }

    mutating func register(_ event: PushRegistration.Event) -> [Effect] {
        registration.apply(event).compactMap { effect in
            switch effect {
            case .ask(let request, let timeout): .ask(request: request, timeout: timeout)
            case .upload(let token): hasStore ? .upload(token) : nil
            case .detach: hasStore ? .detachToken : nil
            }
        }
    }
}
