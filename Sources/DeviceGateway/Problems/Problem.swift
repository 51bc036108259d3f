import HTTPServer
import Messages

/// A refusal as a problem document (RFC 9457). Never repeats a token, a payload or another device's id.
struct Problem: Error, Equatable {
    var kind: ProblemKind
    var detail: String?
    /// Whole seconds, as `Retry-After`.
    var retryAfter: Int?
    /// Machine-readable members besides the fixed ones.
    var members: [Member] = []
    var allow: String?

    struct Member: Equatable {
        var name: String
        var value: JSONValue
    }

    init(_ kind: DeviceAPIProblem.Kind, _ detail: String? = nil, retryAfter: Int? = nil) {
        self.kind = .device(kind)
        self.detail = detail
        self.retryAfter = retryAfter
    }

    init(_ kind: ProblemKind.ProducerKind, _ detail: String? = nil) {
        self.kind = .producer(kind)
        self.detail = detail
    }

    /// Database or broker is away: nothing was done, or it is safe to do again.
    static let unavailable = Problem(.unavailable, retryAfter: 2)

    func with(_ name: String, _ value: Int64?) -> Problem {
        var copy = self
        if let value { copy.members.append(Member(name: name, value: .integer(value))) }
        return copy
    }

    var response: Response {
        let (status, title) = kind.fixed
        let body = JSONWriter.object {
            $0.member("type", DeviceAPIProblem.typePrefix + kind.name)
            $0.member("title", title)
            $0.member("status", status)
            $0.member("detail", detail)
            $0.member("retryable", kind.isRetryable)
            for member in members {
                $0.key(member.name)
                $0.value(member.value)
            }
        }
        var headers: Headers = ["Content-Type": "application/problem+json", "Cache-Control": "no-store"]
        if let retryAfter { headers.add("Retry-After", String(retryAfter)) }
        if let allow { headers.add("Allow", allow) }
        if status == 401, case .producer = kind { headers.add("WWW-Authenticate", "Bearer") }
        return Response(status: status, headers: headers, body: body)
    }
}

extension Problem {
    init(_ error: MessageError) { self.init(.badRequest, error.description) }
}
