import Messages

/// What went wrong, as `type` of a problem document names it; stable for ever.
enum ProblemKind: Hashable, Sendable {
    /// Known to phones, which are built with the same words.
    case device(DeviceAPIProblem.Kind)
    /// Only a producer meets these.
    case producer(ProducerKind)

    enum ProducerKind: String, Hashable, Sendable, CaseIterable {
        case unauthorized
        case forbidden
        /// The job's id was used for another content.
        case jobConflict = "job-conflict"
        /// The device set moved on: `deviceSet` says what is missing, extra or outdated.
        case staleDeviceSet = "stale-device-set"
        case noActiveDevice = "no-active-device"
        case unknownAccount = "unknown-account"
        case invalidJob = "invalid-job"
        case jobEnded = "job-ended"
    }

    static let all =
        DeviceAPIProblem.Kind.allCases.map { ProblemKind.device($0) }
        + ProducerKind.allCases.map { ProblemKind.producer($0) }

    /// `urn:mobile-delivery:problem:` and this is the `type`.
    var name: String {
        switch self {
        case .device(let kind): kind.rawValue
        case .producer(let kind): kind.rawValue
        }
    }

    /// Whether the same request may succeed later without anybody changing it.
    var isRetryable: Bool {
        switch self {
        case .device(.fanoutHeld), .device(.tooManyRequests), .device(.unavailable), .device(.internalError),
            .device(.clockSkew):
            true
        default: false
        }
    }
}
