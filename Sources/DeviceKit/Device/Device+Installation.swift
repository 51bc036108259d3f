public import Delivery
public import Messages

extension Device {
    /// Enrols this installation with a one-time ticket; may be called again with the same ticket until it returns.
    public func enrol(ticket: String) async throws(DeviceError) -> DeviceAPIEnrolled {
        let answer: DeviceAPIEnrolled
        do { answer = try await client.enrol(ticket: ticket, platform: identity.platform) } catch {
            throw DeviceError(error)
        }
        var enrolled = identity
        enrolled.account = answer.account
        do { try await enrolled.save(in: hosts.store) } catch { throw DeviceError(error) }
        hosts.journal.record(JournalEntry(.enrolled, detail: answer.account))
        return answer
    }

    /// Tells the gateway the provider token; at every launch and every change, whatever the permission to show alerts is.
    public func register(
        _ token: String, kind: TokenKind, route: Route, alertsEnabled: Bool? = nil
    ) async throws(DeviceError) {
        try await numbered { (number) async throws(CallFailure) in
            try await self.client.put(
                DeviceAPIPushToken(
                    provider: route.provider, environment: route.environment, app: route.app, kind: kind, token: token,
                    registration: number, alertsEnabled: alertsEnabled))
        }
        hosts.journal.record(JournalEntry(.tokenRegistered))
    }

    /// Logout: this device wants no hints any more.
    public func unregister(_ provider: Provider) async throws(DeviceError) {
        try await numbered { (number) async throws(CallFailure) in
            try await self.client.remove(DeviceAPIPushTokenRemoval(provider: provider, registration: number))
        }
    }

    /// Account reset: identity, keys, jobs and receipts go; what belongs to the installation stays, so that nothing is
    /// explained or prompted a second time. Unregister first, if the network lets you; the next device is a new one to the
    /// server, and its token moves to it with its registration.
    public static func eraseAccount(in store: any WorkStore, keeping names: [String] = []) async throws(WorkStoreError)
    {
        try await store.erase(keeping: [NotificationPermission.name] + names)
    }

    /// Takes the next registration number, which is stored before it is used, so that a late call never undoes a newer one.
    private func numbered(
        _ call: (Int64) async throws(CallFailure) -> Void
    ) async throws(DeviceError) {
        let number: Int64
        do { number = try await hosts.store.nextNumber("registration") } catch { throw DeviceError(error) }
        do { try await call(number) } catch { throw DeviceError(error) }
    }
}
