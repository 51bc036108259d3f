import Delivery
import Messages

/// What the OAuth token endpoint said.
enum TokenEndpointAnswer: Equatable {
    case token(String, seconds: Int64)
    /// Worth asking again: the endpoint is overloaded or broken.
    case temporary(String)
    /// The service account is at fault: its credential pauses.
    case refused(status: Int, reason: String)

    init(status: Int, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        let error = json?["error"]?.string ?? "status \(status)"
        switch status {
        case 200:
            if let token = json?["access_token"]?.string, !token.isEmpty, !token.utf8.contains(where: { $0 <= 0x20 }) {
                self = .token(token, seconds: max(1, json?["expires_in"]?.integer ?? 3600))
            } else {
                self = .temporary("token endpoint: no access_token in its answer")
            }
        case 429, 500...599: self = .temporary("token endpoint: \(error)")
        default: self = .refused(status: status, reason: error)
        }
    }

    /// What a hint comes to that found no usable token.
    var judgement: Judgement {
        switch self {
        case .token: Judgement(.ambiguous, reason: "reset")
        case .temporary(let reason): Judgement(.retryNow(thenPause: false), reason: reason)
        case .refused(let status, let reason): Judgement(.pauseRoute(.credential), status: status, reason: reason)
        }
    }
}
