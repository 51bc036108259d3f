import DeadLetters
import Delivery
import Messages
import Operations

/// One filter of `dead list`, and what a person who knows the indexes would ask.
struct ListingFilter: Sendable {
    let name: String
    let filter: DeadLetterFilter
    /// With the order and the limit.
    let condition: String

    static func all(_ sample: DeadLetterFiller.Sample) -> [ListingFilter] {
        let order = "ORDER BY l.dead_letter_id DESC LIMIT 20"
        let listed = "AND l.reason <> 'token'"
        let time = "ORDER BY l.recorded_at DESC, l.dead_letter_id DESC LIMIT 20"
        func one(
            _ name: String, _ condition: String, _ change: (inout DeadLetterFilter) -> Void
        ) -> ListingFilter {
            var filter = DeadLetterFilter()
            filter.isUninstall = false
            change(&filter)
            return ListingFilter(name: name, filter: filter, condition: condition)
        }
        return [
            one("nothing", "\(listed) \(order)") { _ in },
            one("id", "AND l.dead_letter_id = \(sample.id) \(order)") {
                $0.id = sample.id
                $0.isUninstall = nil
            },
            one("queue", "\(listed) AND l.queue = 'recorder.dead' \(order)") { $0.queue = "recorder.dead" },
            one("reason", "AND l.reason = 'faulty_request' \(order)") {
                $0.reason = "faulty"
                $0.isUninstall = nil
            },
            one("app", "\(listed) AND l.routing_key = 'hints.fcm.bench' \(order)") {
                $0.app = "bench"
                $0.queue = "hints.fcm.dead"
            },
            one("environment", "\(listed) AND l.routing_key = 'hints.apns.production.bench' \(order)") {
                $0.environment = "production"
            },
            one("device", "\(listed) AND l.device_id = '\(sample.device)' \(order)") { $0.device = sample.device },
            one("job", "\(listed) AND l.job_id = '\(sample.job)' \(order)") { $0.job = sample.job },
            one("since", "\(listed) AND l.recorded_at >= '\(sample.middle.isoText)' \(time)") {
                $0.since = sample.middle
            },
            one("until", "\(listed) AND l.recorded_at < '\(sample.middle.isoText)' \(time)") {
                $0.until = sample.middle
            },
            one("failures", "\(listed) AND l.failures = 20 \(order)") { $0.failures = 20 },
            one("uninstalled", "AND l.reason = 'token' \(order)") { $0.isUninstall = true },
        ]
    }
}
