/// `job_device.state` as a device may see it.
public enum DeviceAPIJobState: String, Hashable, Sendable, CaseIterable {
    case pending, acknowledged, failed, expired, cancelled
}
