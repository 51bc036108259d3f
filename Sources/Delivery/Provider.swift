/// Who carries a hint to the phone.
public enum Provider: String, Hashable, Sendable, CaseIterable {
    case apns, fcm
}
