/// One answer with its whole body; `Content-Length` and `Date` are added by the library.
public struct Response: Equatable, Sendable {
    public var status: UInt16
    public var headers: Headers
    public var body: [UInt8]

    public init(status: UInt16, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public static func text(_ text: String, status: UInt16 = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    public static func json(_ body: [UInt8], status: UInt16 = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json"], body: body)
    }
}
