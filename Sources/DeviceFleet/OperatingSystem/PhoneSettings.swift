/// What an owner has set, as far as the system lets it decide about an app's hints.
public struct PhoneSettings: Equatable, Sendable {
    /// Permission to show alerts; on Android also the channel.
    public var showsAlerts = true
    /// iOS: Background App Refresh, of the app or of all apps.
    public var refreshesInBackground = true
    /// iOS: Low Power Mode, which pauses background refresh.
    public var savesPower = false
    /// A Focus: alerts are filed without a sound.
    public var isFocused = false
    /// Android: battery use "restricted": the scheduler runs nothing.
    public var restrictsBattery = false

    public init() {}
}
