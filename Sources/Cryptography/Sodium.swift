import CSodium

/// Initialises libsodium once, before the first use of anything in this target; it chooses the fastest code for this machine.
public enum Sodium {
    private static let initialised: Void = {
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
    }()

    public static func prepare() { initialised }
}
