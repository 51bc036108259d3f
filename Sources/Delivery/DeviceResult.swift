/// How a device ended a job.
public enum DeviceResult: String, Hashable, Sendable, CaseIterable {
    case acknowledged, failed
}
