import Delivery
import HTTP2
import Messages

/// The request of W1: these headers, this body, nothing else.
struct APNSRequest {
    let topic: String
    let category: String
    /// By document type.
    let alerts: [DocumentType: APNSPayload.Alert]

    /// `now` is epoch milliseconds. `token` is hexadecimal of any length.
    func request(for hint: Hint, token: String, providerToken: String, now: Int64) -> Request? {
        guard Self.isWellFormed(token), let alert = alerts[hint.documentType] else { return nil }
        let payload = APNSPayload(
            alert: alert, category: category, hint: WorkHint(job: hint.job, documentType: hint.documentType))
        var headers = common(providerToken)
        // Never absent and never 0: both mean something else to APNs.
        let expiration = max(hint.expiresAt, now + 1000) / 1000
        headers.append("apns-expiration", String(expiration), isVolatile: true)
        headers.append("apns-id", hint.entry.description, isVolatile: true)
        headers.append("apns-collapse-id", hint.job.description, isVolatile: true)
        return Request(path: "/3/device/\(token)", headers: headers, body: payload.encoded())
    }

    /// A request to a token that belongs to nobody: `BadDeviceToken` proves key, team and topic (B7).
    func probe(token: String, providerToken: String) -> Request {
        var headers = common(providerToken)
        headers.append("apns-expiration", "0", isVolatile: true)
        return Request(
            path: "/3/device/\(token)", headers: headers, body: Array(#"{"aps":{"content-available":1}}"#.utf8))
    }

    private func common(_ providerToken: String) -> Headers {
        Headers([
            HeaderField("authorization", "bearer \(providerToken)"), HeaderField("apns-topic", topic),
            HeaderField("apns-push-type", "alert"), HeaderField("apns-priority", "10"),
        ])
    }

    /// Anything else could change the path.
    static func isWellFormed(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count <= 400 && Hex.decode(token) != nil
    }
}
