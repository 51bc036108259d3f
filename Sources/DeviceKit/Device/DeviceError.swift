/// Why a device call did not come to its end; whatever it had done is stored.
public enum DeviceError: Error, Equatable, Sendable {
    /// The window of execution ended.
    case stopped
    /// Enrol anew: the server does not know this device any more.
    case revoked
    case call(CallFailure)
    case store(WorkStoreError)

    init(_ failure: CallFailure) {
        self = failure == .stopped ? .stopped : failure.isRevoked ? .revoked : .call(failure)
    }

    init(_ error: WorkStoreError) { self = error == .stopped ? .stopped : .store(error) }
}
