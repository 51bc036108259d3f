public import Delivery
import Messages

/// What the producer API says of a job.
public struct JobStatus: Sendable {
    public struct Device: Sendable {
        public let device: Identifier
        public let state: String
        public let claimedAt: Int64?
        /// Why the device looked: empty until it acknowledged.
        public let origin: String
        public let hint: String
        public let hintReason: String
    }

    public struct Moment: Sendable {
        public let at: Int64
        public let what: String
        public let device: Identifier?
        public let detail: String
    }

    public let state: String
    public let isFannedOut: Bool
    public let devices: [Device]
    public let timeline: [Moment]

    init(_ bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        state = try reader.string("state")
        isFannedOut = try reader.optionalInteger("fannedOutAt") != nil
        devices = (reader.optional("devices")?.array ?? []).compactMap { value in
            guard let device = value["device"]?.string.flatMap({ Identifier($0) }) else { return nil }
            return Device(
                device: device, state: value["state"]?.string ?? "",
                claimedAt: value["claimedAt"]?.integer.map { Int64($0) },
                origin: value["origin"]?.string ?? "", hint: value["hint"]?.string ?? "",
                hintReason: value["hintReason"]?.string ?? "")
        }
        timeline = (reader.optional("timeline")?.array ?? []).compactMap { value in
            guard let at = value["at"]?.integer, let what = value["what"]?.string else { return nil }
            return Moment(
                at: Int64(at), what: what, device: value["device"]?.string.flatMap { Identifier($0) },
                detail: value["detail"]?.string ?? "")
        }
    }

    /// For a person who asks why nothing happens.
    public var summary: String {
        let words = devices.map { device in
            [
                "device \(device.device) \(device.state)", device.origin.isEmpty ? "" : "by \(device.origin)",
                "hint \(device.hint)", device.hintReason,
            ].filter { !$0.isEmpty }.joined(separator: " ")
        }
        return (["job \(state)"] + words).joined(separator: ", ")
    }

    var events: [JobTimeline.Event] {
        timeline.map { moment in
            JobTimeline.Event(
                at: moment.at, lane: "server", what: moment.what,
                detail: [moment.device?.description ?? "", moment.detail].filter { !$0.isEmpty }.joined(separator: " "))
        }
    }
}
