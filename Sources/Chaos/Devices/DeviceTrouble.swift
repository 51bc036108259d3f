/// What befalls devices in one campaign.
public enum DeviceTrouble: String, CaseIterable, Sendable, CustomStringConvertible {
    case wakeTogether = "wake-together"
    case slowUpload = "slow-upload"
    case electedDies = "elected-dies"

    public var description: String { rawValue }
}
