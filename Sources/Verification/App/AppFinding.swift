/// One thing that was looked at in an app, and how it is.
public struct AppFinding: Equatable, Sendable {
    public enum Verdict: String, Sendable {
        /// Pushes will not work, or not as they should.
        case missing
        /// Worth a look; nothing that fails a release by itself.
        case warning
        case fine
    }

    public enum Subject: String, Sendable, CaseIterable {
        case app, profile, pushCapability = "push capability", remoteNotification = "background mode", environment,
            team, localization, category
    }

    public let verdict: Verdict
    public let subject: Subject
    /// What was found, and what to do about it.
    public let text: String

    init(_ verdict: Verdict, _ subject: Subject, _ text: String) {
        self.verdict = verdict
        self.subject = subject
        self.text = text
    }
}
