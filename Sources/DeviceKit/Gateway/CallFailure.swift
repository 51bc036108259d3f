public import Messages

/// Why a call of the device API has no result.
public enum CallFailure: Error, Equatable, Sendable {
    /// The window of execution ended: unwind, store nothing.
    case stopped
    case offline
    case unreachable(String)
    /// Keys cannot be read before the first unlock.
    case locked
    /// An answer that is not one of the device API.
    case malformed(String)
    /// A problem document, or a status without one. `retryAfter` in milliseconds.
    case refused(status: Int, kind: DeviceAPIProblem.Kind?, retryAfter: Int64?)

    /// This device has no rights any more: every call will be answered so.
    public var isRevoked: Bool {
        if case .refused(401, .deviceRevoked, _) = self { true } else { false }
    }

    public var status: Int? {
        if case .refused(let status, _, _) = self { status } else { nil }
    }

    public var kind: DeviceAPIProblem.Kind? {
        if case .refused(_, let kind, _) = self { kind } else { nil }
    }

    /// Unknown, another's, expired, cancelled: the server wants nothing of us for this job.
    var isGone: Bool { status == 404 || status == 410 }

    public var retryAfter: Int64? {
        if case .refused(_, _, let time) = self { time } else { nil }
    }

    /// For journals; no data of a job.
    public var summary: String {
        switch self {
        case .stopped: "stopped"
        case .offline: "offline"
        case .unreachable(let reason): "unreachable: \(reason)"
        case .locked: "locked"
        case .malformed(let what): "malformed answer: \(what)"
        case .refused(let status, let kind, _): "\(status) \(kind?.rawValue ?? "")"
        }
    }
}
