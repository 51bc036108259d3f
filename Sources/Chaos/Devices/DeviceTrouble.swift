/// What befalls devices in one campaign.
public enum DeviceTrouble: String, CaseIterable, Sendable, CustomStringConvertible {
    case wakeTogether = "wake-together"
    case slowUpload = "slow-upload"
    case electedDies = "elected-dies"
    case largeSubmission = "large-submission"

    public var description: String { rawValue }
}
