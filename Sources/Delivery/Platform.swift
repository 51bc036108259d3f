/// What a device runs; written at enrolment and never changed.
public enum Platform: String, Hashable, Sendable, CaseIterable {
    case ios, android

    /// The provider that wakes it.
    public var provider: Provider { self == .ios ? .apns : .fcm }
}
