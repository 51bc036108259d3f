/// What a provider's "later" is about: this hint, every hint to the device, or the whole route.
public enum DeferralScope: String, Hashable, Sendable, CaseIterable {
    case entry, device, route
}
