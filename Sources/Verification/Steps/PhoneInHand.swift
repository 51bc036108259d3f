public import Delivery

/// The phones that a verification is made with.
public protocol PhoneInHand: Sendable {
    /// Called before a step does anything.
    func prepare(_ step: VerificationStep) async throws
    /// Returns when it is done.
    func perform(_ action: PhoneAction) async throws
    /// What a step's evidence contradicts, beyond what the server says of its jobs; empty if nothing.
    func contradictions(_ step: VerificationStep, jobs: [Canary]) async throws -> [String]
    /// What the phones did with a job, for its picture.
    func events(of job: Identifier) async -> [JobTimeline.Event]
}

/// One encrypted job that was committed for a step.
public struct Canary: Sendable {
    public let job: Identifier
    /// What it is there for.
    public let purpose: String
    let document: [UInt8]
    let contentKey: ContentKeyBytes
    let recipients: [String]
}

/// The key that a canary's body is encrypted under: the tester knows it, and can prove what the phones acknowledged.
struct ContentKeyBytes: Sendable { let bytes: [UInt8] }
