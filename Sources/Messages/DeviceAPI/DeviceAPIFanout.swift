/// What is left of a job's downstream fan-out, as fetch, claim and listing tell it.
public enum DeviceAPIFanout: String, Hashable, Sendable, CaseIterable {
    /// The job has no recipients.
    case notRequired = "not_required"
    /// Nobody submitted and nobody holds a running lease.
    case needed
    /// A device holds a running lease.
    case held
    /// Submitted, or the job ended without.
    case done
}
