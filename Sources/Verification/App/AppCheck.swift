import AppArchive
import Daemon

/// Holds one build against what the apps file says about it.
struct AppCheck {
    let info: PropertyList
    let profile: AppProfile
    let strings: AppStrings
    /// `Info.plist` of each extension in the app.
    let extensions: [PropertyList]
    let apps: AppsFile
    /// Seconds since 1970.
    let now: Int64

    var findings: [AppFinding] {
        guard let bundleID = info["CFBundleIdentifier"]?.text else {
            return [AppFinding(.missing, .app, "Info.plist has no CFBundleIdentifier")]
        }
        var findings = [backgroundMode]
        findings += capability
        guard let app = apps.apps.first(where: { $0.apns?.bundleID == bundleID }), let apns = app.apns else {
            let known = apps.apps.compactMap(\.apns?.bundleID).joined(separator: ", ")
            findings.append(
                AppFinding(
                    .missing, .app,
                    "no app of \(apps.path) has the bundle id \(bundleID) (it has \(known)): hints for it go nowhere"))
            return findings
        }
        findings.append(AppFinding(.fine, .app, "\(bundleID) is app \"\(app.name)\" of the apps file"))
        findings += environment(apns, app.name)
        findings += team(apns)
        findings += localization(apns)
        findings += category(apns)
        return findings
    }

    private var backgroundMode: AppFinding {
        let modes = info["UIBackgroundModes"]?.texts ?? []
        guard modes.contains("remote-notification") else {
            return AppFinding(
                .missing, .remoteNotification,
                "UIBackgroundModes has no remote-notification: switch on Background Modes, Remote notifications")
        }
        return AppFinding(.fine, .remoteNotification, "remote-notification is there")
    }

    private var capability: [AppFinding] {
        switch profile {
        case .store:
            [
                AppFinding(
                    .warning, .pushCapability,
                    "no embedded profile: an App Store build, whose capability only Apple's signature shows; "
                        + "look at App Store Connect, or check an ad hoc build of the same archive")
            ]
        case .unreadable(let why):
            [AppFinding(.missing, .profile, "embedded.mobileprovision is not usable: \(why)")]
        case .embedded(let entitlements):
            [expiry(entitlements), capability(entitlements)].compactMap { $0 }
        }
    }

    private func expiry(_ entitlements: AppProfile.Entitlements) -> AppFinding? {
        guard let end = entitlements.expiresAt, end <= now else { return nil }
        return AppFinding(.missing, .profile, "the provisioning profile has expired: phones do not start the app")
    }

    private func capability(_ entitlements: AppProfile.Entitlements) -> AppFinding {
        guard let environment = entitlements.environment else {
            return AppFinding(
                .missing, .pushCapability,
                "the profile has no aps-environment: add the Push Notifications capability and a new profile")
        }
        return AppFinding(.fine, .pushCapability, "aps-environment is \(environment)")
    }

    /// The environment of the tokens that this build gets, as the apps file spells it.
    private var tokens: (name: String, why: String)? {
        switch profile {
        case .store: ("production", "an App Store build gets production tokens")
        case .unreadable: nil
        case .embedded(let entitlements):
            switch entitlements.environment {
            case "development": ("sandbox", "aps-environment is development")
            case "production": ("production", "aps-environment is production")
            default: nil
            }
        }
    }

    private func environment(_ apns: AppsFile.APNS, _ app: String) -> [AppFinding] {
        guard let tokens else { return [] }
        guard apns.environments.contains(tokens.name) else {
            return [
                AppFinding(
                    .missing, .environment,
                    "\(tokens.why), but app \"\(app)\" has only \(apns.environments.joined(separator: ", ")): "
                        + "add \"\(tokens.name)\" to its environments, or sign for the other one")
            ]
        }
        return [
            AppFinding(.fine, .environment, "\(tokens.why); the app has to register with environment \(tokens.name)")
        ]
    }

    private func team(_ apns: AppsFile.APNS) -> [AppFinding] {
        guard case .embedded(let entitlements) = profile, let id = entitlements.applicationID else { return [] }
        let parts = id.split(separator: ".", maxSplits: 1)
        var findings: [AppFinding] = []
        if parts.first.map(String.init) != apns.teamID {
            findings.append(
                AppFinding(
                    .warning, .team,
                    "signed under the prefix \(parts.first ?? ""), the apps file's key is of team \(apns.teamID)"))
        }
        if parts.count == 2, parts[1].hasSuffix("*") {
            findings.append(
                AppFinding(
                    .missing, .pushCapability, "the profile is for \(id): only one for the full bundle id has push"))
        }
        return findings
    }
}
