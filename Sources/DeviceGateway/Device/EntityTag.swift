import HTTPServer

/// Conditional GET by a strong tag (RFC 9110, 13.1.2).
enum EntityTag {
    /// The tags of `If-None-Match`, without quotes.
    static func offered(_ request: Request) -> [String] {
        (request.headers["if-none-match"] ?? "").split(separator: ",").map { tag in
            tag.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed().filter { $0 != "\"" }
        }.map { String($0) }
    }

    static func matches(_ request: Request, _ tag: String) -> Bool {
        offered(request).contains(tag.filter { $0 != "\"" })
    }

    static func notModified(_ tag: String) -> Response { Response(status: 304, headers: ["ETag": tag]) }
}
