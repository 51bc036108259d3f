import AppArchive

/// What the build may do, as `embedded.mobileprovision` says it.
enum AppProfile: Equatable {
    /// Builds from the App Store carry none: Apple signs them again, for production.
    case store
    /// Of development, ad hoc and enterprise builds.
    case embedded(Entitlements)
    /// There is one, and it is not what Apple made.
    case unreadable(String)

    struct Entitlements: Equatable {
        /// `aps-environment`: "development", "production" or absent.
        var environment: String?
        /// Team and bundle id with a point between; a `*` fits any end.
        var applicationID: String?
        /// Seconds since 1970.
        var expiresAt: Int64?
    }

    init(_ profile: [UInt8]?) {
        guard let profile else {
            self = .store
            return
        }
        do {
            let list = try PropertyList(parsing: SignedMessage.content(of: profile))
            guard let entitlements = list["Entitlements"], entitlements.members != nil else {
                self = .unreadable("it has no entitlements")
                return
            }
            self = .embedded(
                Entitlements(
                    environment: entitlements["aps-environment"]?.text,
                    applicationID: entitlements["application-identifier"]?.text,
                    expiresAt: list["ExpirationDate"]?.date))
        } catch {
            self = .unreadable(error.description)
        }
    }
}
