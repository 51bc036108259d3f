import Delivery
import DeviceKit

/// What an owner does besides looking at the app.
extension SimulatedPhone {
    /// The owner comes to a place where receipts matter, and answers whatever is asked with this.
    public func visitReceipts(accepts: Bool, grants: Bool) {
        inProcess { phone in
            // Only what is on the screen can be answered.
            guard await phone.permit(.benefitInContext).contains(.showExplanation) else { return }
            let answer = NotificationPermission.Event.explanationAccepted
            guard await phone.permit(accepts ? answer : .explanationDeclined).contains(.systemPrompt) else { return }
            _ = await phone.permit(grants ? .systemGranted : .systemDenied)
        }
    }

    /// Stores before it shows, so that a crash in between shows nothing rather than twice.
    private func permit(_ event: NotificationPermission.Event) async -> [NotificationPermission.Effect] {
        guard var changed = permission, let store, let process else { return [] }
        let effects = changed.apply(event)
        // At once, so that a second visit in the meantime finds what the first one changed.
        permission = changed
        do { try await changed.save(in: store) } catch { return [] }
        guard process === self.process else { return [] }
        for effect in effects { configuration.checker.shown(effect, on: configuration.number) }
        return effects
    }

    /// The platform gives the app another token, of itself.
    public func rotateToken() {
        token = SimulatedPhone.newToken(random)
        if process != nil { giveToken() }
    }

    /// The process ends at that many calls out of the kit from now; the next one, if none runs.
    public func crash(afterCalls calls: Int) {
        if let process { process.crash(afterCalls: calls) } else { nextCrash = calls }
    }

    /// Logout and login: the account goes from the phone, the installation stays. Needs the open app; false without it.
    public func resetAccount() async -> Bool {
        guard system.isActive, let device, let store, let process else { return false }
        try? await device.unregister(configuration.platform.provider)
        // The process may end in the middle: then it is the disk that says whether the account is gone.
        configuration.checker.forgetAccount(of: configuration.number)
        do {
            if configuration.defects.contains(.forgetsExplanation) {
                try await store.erase(keeping: [])
            } else {
                try await Device.eraseAccount(in: store)
            }
        } catch { return false }
        guard process === self.process else { return false }
        tell(.processEnded)
        tell(.opened)
        return true
    }

    /// The app is deleted with all it had, and installed and opened again.
    public func reinstall() {
        tell(.processEnded)
        disk.wipe()
        configuration.checker.forgetInstallation(of: configuration.number)
        rotateToken()
        tell(.opened)
    }
}
