public import HTTP2

/// What a simulated provider says to a request.
public struct ProviderAnswer: Hashable, Sendable {
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]
    /// The word that a reader of the journal looks for: APNs' reason, FCM's error code, OAuth's error; nil if accepted.
    public var reason: String?

    public init(status: Int, headers: Headers = [:], body: [UInt8] = [], reason: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reason = reason
    }

    public var isAccepted: Bool { status == 200 }
    var response: Response { Response(status: status, headers: headers, body: body) }

    /// What Google's front ends say when they never reach the service.
    static func html(_ status: Int) -> ProviderAnswer {
        let text = """
            <!DOCTYPE html><html lang=en><title>Error \(status)</title><p><b>\(status).</b> That’s an error.\
            <p>The server encountered a temporary error and could not complete your request.<p>Please try again in 30 \
            seconds.</html>
            """
        return ProviderAnswer(
            status: status, headers: ["content-type": "text/html; charset=UTF-8"], body: Array(text.utf8),
            reason: "html")
    }
}
