/// What made a device look at a job; acks carry it, so that repairs can be counted by their cause.
public enum Origin: String, Hashable, Sendable, CaseIterable {
    case hint, foreground, deletedMessages, opportunistic
}
