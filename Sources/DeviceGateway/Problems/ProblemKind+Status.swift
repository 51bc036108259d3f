import Messages

extension ProblemKind {
    /// Status and title; the title is the same for every occurrence.
    var fixed: (status: UInt16, title: String) {
        switch self {
        case .producer(let kind): Self.fixed(kind)
        case .device(let kind):
            switch kind {
            case .badRequest: (400, "The request cannot be understood")
            case .badSignature: (401, "The request signature is missing or wrong")
            case .clockSkew: (401, "The signature's time is too far from the server's")
            case .deviceRevoked: (401, "The device is revoked")
            case .badTicket: (401, "The enrolment ticket is unknown, used or expired")
            case .keyConflict: (409, "The id is in use with another key")
            case .staleRegistration: (409, "A later push-token call was seen")
            case .badTokenFormat: (422, "This is no token of that provider")
            case .unknownApp: (422, "No such app and environment")
            case .notFound: (404, "Not found")
            case .gone: (410, "The job has ended for this device")
            case .cursorExpired: (410, "The position is not valid any more; start at the first page")
            case .methodNotAllowed: (405, "The method is not allowed here")
            case .tooLarge: (413, "The body is too large")
            case .unsupportedMediaType: (415, "The body must be application/json")
            case .fanoutHeld: (409, "Another device holds the fan-out lease")
            case .fanoutAlreadyDone: (409, "The fan-out is done")
            case .fanoutFenced: (409, "The lease is not the current one")
            case .fanoutNotRequired: (409, "The job has no recipients")
            case .fanoutOutstanding: (409, "Submit or release the fan-out lease first")
            case .leaseExpired: (409, "The lease is over")
            case .attemptSpent: (409, "The attempt was granted before and is over")
            case .notGenerated: (412, "Claim and generate first")
            case .submissionMismatch: (422, "Another submission was accepted, or the digest does not match")
            case .recipientsMismatch: (422, "One ciphertext for each recipient of the job is needed")
            case .tooManyRequests: (429, "Too many requests")
            case .unavailable: (503, "Try again later")
            case .internalError: (500, "The server failed")
            }
        }
    }

    private static func fixed(_ kind: ProducerKind) -> (status: UInt16, title: String) {
        switch kind {
        case .unauthorized: (401, "The credential is missing or unknown")
        case .forbidden: (403, "The credential lacks the scope")
        case .jobConflict: (409, "The job id is in use with another content")
        case .staleDeviceSet: (409, "The device set has changed")
        case .noActiveDevice: (409, "The account has no active device")
        case .unknownAccount: (404, "The account is unknown")
        case .invalidJob: (422, "The job breaks a rule")
        case .jobEnded: (409, "The job has ended")
        }
    }
}
