public import Delivery

/// Shows that a document is on its way, where the app and not the system does that (Android).
public protocol Notifier: Sendable {
    /// At most one notification a job: the id is its tag. Not allowed to notify = do nothing.
    func notify(job: Identifier, documentType: DocumentType)
}

/// Shows nothing: on iOS the system shows the alert.
public struct SilentNotifier: Notifier {
    public init() {}
    public func notify(job: Identifier, documentType: DocumentType) {}
}
