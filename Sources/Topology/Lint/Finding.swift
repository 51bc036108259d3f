/// One line of `topology lint` or `topology check`: which object, and what is wrong with it.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// For example `queue recorder.acks`.
    public let subject: String
    public let problem: String

    public init(_ subject: String, _ problem: String) {
        self.subject = subject
        self.problem = problem
    }

    public var description: String { "\(subject): \(problem)" }
}
