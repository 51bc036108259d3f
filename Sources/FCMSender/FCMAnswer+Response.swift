import Delivery
import HTTP2
import Messages

extension FCMAnswer {
    /// Reads whatever came: a body that is not FCM's JSON leaves only the status. `now` is epoch seconds.
    init(_ response: Response, now: Int64) {
        let body = try? JSONValue(parsing: response.body)
        let error = body?["error"]
        func details(_ type: String) -> [JSONValue] {
            (error?["details"]?.array ?? []).filter { $0["@type"]?.string?.hasSuffix(type) == true }
        }
        let quotas = details("google.rpc.QuotaFailure").flatMap { $0["violations"]?.array ?? [] }
        self.init(
            status: response.status,
            name: body?["name"]?.string,
            errorCode: details("google.firebase.fcm.v1.FcmError").first?["errorCode"]?.string,
            rpcStatus: error?["status"]?.string,
            message: error?["message"]?.string,
            violatedFields: details("google.rpc.BadRequest").flatMap { $0["fieldViolations"]?.array ?? [] }
                .compactMap { $0["field"]?.string },
            quotas: quotas.map { "\($0["subject"]?.string ?? "") \($0["description"]?.string ?? "")" },
            retryAfter: response.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) })
    }
}
