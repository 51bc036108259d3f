public import Delivery

/// A person with a phone in hand, at a terminal: reads what to do, does it, and presses Return. What the phone does is judged by
/// the server's durable state alone.
public struct PersonInCharge: PhoneInHand {
    private let show: @Sendable (String) -> Void
    /// Waits for a line; false if there will be none any more.
    private let confirm: @Sendable () async -> Bool

    public init(
        show: @escaping @Sendable (String) -> Void, confirm: @escaping @Sendable () async -> Bool
    ) {
        self.show = show
        self.confirm = confirm
    }

    public func prepare(_ step: VerificationStep) async throws {}

    public func perform(_ action: PhoneAction) async throws {
        show("   → \(action.instruction)")
        show("     Then press Return.")
        guard await confirm() else { throw StepFailure("nobody is there to do: \(action.instruction)") }
    }

    public func contradictions(_ step: VerificationStep, jobs: [Canary]) async throws -> [String] { [] }

    public func events(of job: Identifier) async -> [JobTimeline.Event] { [] }
}
