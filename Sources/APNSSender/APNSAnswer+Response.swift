import Delivery
import HTTP2
import Messages

extension APNSAnswer {
    /// Reads whatever came: a body that is not APNs' JSON leaves only the status. `now` is epoch seconds.
    init(_ response: Response, now: Int64) {
        let body = try? JSONValue(parsing: response.body)
        self.init(
            status: response.status, reason: body?["reason"]?.string, timestamp: body?["timestamp"]?.integer,
            retryAfter: response.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) })
    }
}
