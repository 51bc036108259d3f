import Delivery
import Messages

/// What an event asks the coordinator to look at. Only where to look: what has to be done is what the row says.
enum Doorbell: Equatable {
    case submitted(job: Identifier)
    case cancelled(job: Identifier)
    case revoked(device: Identifier)
    /// An event that others are meant by.
    case notForUs

    /// The kinds of events that are ours, without their version.
    private static let ours = ["job.submitted", "job.cancelled", "device.revoked"]

    /// Reads a message of `coordinator.events`. A version that is not known of a kind that is ours is an error; other
    /// kinds may come and go.
    init(type: String, body: [UInt8]) throws(MessageError) {
        switch MessageType(rawValue: type) {
        case .jobSubmitted: self = .submitted(job: try JobSubmitted(decoding: body).job)
        case .jobCancelled: self = .cancelled(job: try JobCancelled(decoding: body).job)
        case .deviceRevoked: self = .revoked(device: try DeviceRevoked(decoding: body).device)
        case .some: self = .notForUs
        case nil:
            guard let dot = type.lastIndex(of: "."), type[dot...].hasPrefix(".v") else {
                throw .malformed("type '\(type.prefix(64))'")
            }
            guard Self.ours.contains(String(type[..<dot])) else {
                self = .notForUs
                return
            }
            guard let version = Int(type[dot...].dropFirst(2)) else { throw .malformed("type '\(type.prefix(64))'") }
            throw .unknownVersion(version)
        }
    }
}
