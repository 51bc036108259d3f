public import Delivery

/// Who this installation is; made before its enrolment is asked for, so that an answer that was lost can be asked for again.
public struct DeviceIdentity: Equatable, Sendable {
    public var device: Identifier
    public var platform: Platform
    /// `nil` until the enrolment was answered.
    public var account: String?

    public init(device: Identifier, platform: Platform, account: String? = nil) {
        self.device = device
        self.platform = platform
        self.account = account
    }
}
