/// The push token of one process: asked for at every launch, told to the gateway whenever there is one and an account to
/// tell it for. No permission to show alerts has a part in it.
public struct PushRegistration: Equatable, Sendable {
    public enum Event: Equatable, Sendable {
        case launched
        /// The platform gave a token, also one that nobody asked for.
        case token(String)
        case refused
        /// Nobody answered the request of that number in time.
        case timedOut(request: Int)
        case enrolled
        case loggedOut
        case uploaded(String)
        case uploadFailed
        case becameActive
    }

    public enum Effect: Equatable, Sendable {
        /// Ask the platform, and tell `timedOut` after so many milliseconds.
        case ask(request: Int, timeout: Int64)
        case upload(String)
        /// The account wants no more hints here; the token itself stays registered with the platform.
        case detach
    }

    public enum State: String, Equatable, Sendable, CaseIterable {
        case unasked, asked
        /// The platform never answered (iOS does so with background refresh and alerts both off). Nothing waits for it;
        /// a late answer is welcome, and the next launch asks again.
        case pending
        case refused
        /// There is a token, and the gateway has not confirmed it in this process.
        case known
        case uploaded
    }

    /// How long the platform may take to answer.
    public static let timeout: Int64 = 10_000

    public private(set) var state = State.unasked
    public private(set) var token: String?
    public private(set) var isEnrolled = false
    private var requests = 0

    public init() {}

    public mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .launched:
            requests += 1
            if token == nil { state = .asked }
            return [.ask(request: requests, timeout: PushRegistration.timeout)]
        case .token(let new):
            // The same one again needs no second call.
            if new == token, state == .uploaded { return [] }
            token = new
            state = .known
            return upload
        case .refused:
            if token == nil { state = .refused }
            return []
        case .timedOut(let request):
            if request == requests, state == .asked { state = .pending }
            return []
        case .enrolled:
            isEnrolled = true
            return upload
        case .loggedOut:
            let wasEnrolled = isEnrolled
            isEnrolled = false
            if token != nil { state = .known }
            return wasEnrolled ? [.detach] : []
        case .uploaded(let told):
            if told == token, isEnrolled { state = .uploaded }
            return []
        case .uploadFailed: return []
        case .becameActive: return state == .known ? upload : []
        }
    }

    private var upload: [Effect] {
        guard isEnrolled, let token else { return [] }
        return [.upload(token)]
    }
}
