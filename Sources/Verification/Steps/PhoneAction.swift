/// What has to be done with the phone: by a person who holds it, or by a simulated one.
public enum PhoneAction: String, CaseIterable, Sendable {
    case logIn, resetAccount, background, open, denyAlerts, allowAlerts, goOffline, goOnline, forceQuit, rotateToken,
        removeApp, installAgain

    /// For a person.
    public var instruction: String {
        switch self {
        case .logIn: "Install the release build, open it and log in to the account."
        case .resetAccount: "In the app, log out (or reset the account) and log in again."
        case .background:
            "Open the app once, then leave it with the home gesture. Do not swipe it away. Lock the phone."
        case .open: "Unlock the phone and open the app."
        case .denyAlerts: "In the system's settings, switch the app's notifications off."
        case .allowAlerts: "In the system's settings, switch the app's notifications on again."
        case .goOffline: "Switch airplane mode on, and Wi-Fi off."
        case .goOnline: "Switch airplane mode off."
        case .forceQuit: "Swipe the app away in the app switcher (Android: force stop it in the settings)."
        case .rotateToken:
            "Make the token change: on Android clear Firebase's installation in the app's debug menu, on iOS restore the "
                + "phone or reinstall and log in. Then open the app."
        case .removeApp: "Delete the app, without logging out first."
        case .installAgain: "Install the release build again, open it and log in to the account."
        }
    }
}
