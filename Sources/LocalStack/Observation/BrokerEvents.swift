import Delivery
import FoundationEssentials
import Messages

/// What a message on the broker says about jobs.
struct BrokerEvents {
    /// The job and device of each entry, learnt from its hint: an outcome names only the entry.
    private var hints: [String: (job: String, device: String, provider: String)] = [:]

    mutating func events(in sighting: Tap.Sighting) -> [TimelineEvent] {
        let body = sighting.body
        switch sighting.type {
        case "hint.v1":
            guard let hint = try? Hint(decoding: body) else { return [] }
            let (job, device) = (hint.job.description, hint.device.description)
            hints[hint.entry.description] = (job, device, hint.route.provider.rawValue)
            return [
                TimelineEvent(.published, at: sighting.at, job: job, device: device, detail: "to \(hint.route.queue)")
            ]
        case "outcome.v1":
            guard let batch = try? OutcomeBatch(decoding: body) else { return [] }
            return batch.outcomes.filter { $0.kind == .accepted }.compactMap { outcome in
                hints[outcome.entry.description].map {
                    TimelineEvent(.accepted, at: sighting.at, job: $0.job, device: $0.device, detail: $0.provider)
                }
            }
        default:
            return []
        }
    }
}
