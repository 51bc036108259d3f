import Messages

/// When the app may explain, ask for, and show the state of the permission to display alerts. It belongs to the
/// installation, not to the account: logging out or enrolling anew never repeats an explanation or a prompt. No receipt
/// and no token registration depends on it.
public struct NotificationPermission: Hashable, Sendable {
    /// What the system last said.
    public enum System: String, Sendable, CaseIterable {
        case notAsked, granted, denied
    }

    public enum Event: Equatable, Sendable, CaseIterable {
        /// The user came to a place where receipts matter: the one chance to explain.
        case benefitInContext
        /// The user read the explanation and wants it.
        case explanationAccepted
        case explanationDeclined
        case systemGranted, systemDenied
        case profileOpened
        case launched
        case loggedOut
        case enrolledAnew
    }

    public enum Effect: Equatable, Sendable {
        case showExplanation
        /// The system's own prompt; it shows once in an installation's life.
        case systemPrompt
        /// A line that says so, with a link to the settings when alerts are off; never a prompt.
        case passiveStatus(isOn: Bool, settingsLink: Bool)
        /// Ask the platform for the push token, in every state of the permission.
        case registerForPush
    }

    public private(set) var system = System.notAsked
    /// Never unset again.
    public private(set) var wasExplained = false
    public private(set) var wasPrompted = false

    public init() {}

    public mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .benefitInContext:
            guard !wasExplained, system == .notAsked else { return [] }
            wasExplained = true
            return [.showExplanation]
        case .explanationAccepted:
            guard wasExplained, !wasPrompted, system == .notAsked else { return [] }
            wasPrompted = true
            return [.systemPrompt]
        case .explanationDeclined: return []
        case .systemGranted:
            system = .granted
            return []
        case .systemDenied:
            system = .denied
            return []
        case .profileOpened: return [.passiveStatus(isOn: system == .granted, settingsLink: system != .granted)]
        case .launched, .enrolledAnew: return [.registerForPush]
        case .loggedOut: return []
        }
    }
}

extension NotificationPermission {
    static let name = "notification.permission"

    /// The installation's state; a store that was wiped by a reinstall starts anew.
    public static func load(from store: any WorkStore) async throws(WorkStoreError) -> NotificationPermission {
        var permission = NotificationPermission()
        guard let bytes = try await store.value(name) else { return permission }
        do {
            let reader = try JSONReader(bytes)
            permission.system = try reader.word("system")
            permission.wasExplained = try reader.bool("explained", default: false)
            permission.wasPrompted = try reader.bool("prompted", default: false)
        } catch {
            throw .damaged(name)
        }
        return permission
    }

    /// To be called before the effects of an event are carried out, and after the host's own copy was replaced: of two
    /// events at once the second has to find what the first one changed.
    public func save(in store: any WorkStore) async throws(WorkStoreError) {
        try await store.setValue(
            NotificationPermission.name,
            JSONWriter.object {
                $0.member("system", system.rawValue)
                $0.member("explained", wasExplained)
                $0.member("prompted", wasPrompted)
            })
    }
}
