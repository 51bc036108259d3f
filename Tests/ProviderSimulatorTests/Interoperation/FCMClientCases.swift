import Testing

@testable import ProviderSimulator

/// Every row of FCM's table as firebase-admin shows it, over HTTP/1.1 (`send`) and HTTP/2 (`send_each_async`).
enum FCMClientCases {
    private struct Row {
        var name: String
        /// Of the exception; nil: accepted.
        var exception: String?
        /// Over HTTP/2, where that is another.
        var exceptionHTTP2: String?
        /// Members of the exception: code, status, FcmError's code, violated field.
        var shows = "{}"
        var message = "{}"
        var conduct = "{}"
        var device: String? = PushClientSite.project
        var platform = "android"
        var isRemoved = false
        var script: String?

        init(_ name: String, _ exception: String?, _ shows: String = "{}") {
            self.name = name
            self.exception = exception
            self.shows = shows
        }

        func with(_ change: (inout Row) -> Void) -> Row {
            var row = self
            change(&row)
            return row
        }
    }

    private static func raw(_ parts: String) -> String { #"{"raw":{"token":"TOKEN",\#(parts)}}"# }
    private static let invalid = #"{"code":"INVALID_ARGUMENT","status":400,"errorCode":"INVALID_ARGUMENT""#
    private static let unread = #"{"code":"INVALID_ARGUMENT","status":400,"errorCode":null"#

    private static let requests = [
        Row("accepted", nil),
        Row("accepted for an installation id", nil).with { $0.message = #"{"token":null,"fid":"TOKEN"}"# },
        Row("accepted for a topic", nil).with { $0.message = #"{"token":null,"topic":"news"}"# },
        Row("accepted dry run", nil).with { $0.conduct = #"{"dryRun":true}"# },
        Row("malformed token", "InvalidArgumentError", invalid + #","field":"message.token"}"#)
            .with { $0.message = #"{"token":"short"}"# },
        Row("reserved key", "InvalidArgumentError", invalid + #","field":"message.data"}"#)
            .with { $0.message = #"{"data":{"from":"x"}}"# },
        Row("ttl too long", "InvalidArgumentError", invalid + #","field":"message.android.ttl"}"#)
            .with { $0.message = #"{"android":{"ttl":2419201}}"# },
        Row("no recipient", "InvalidArgumentError", invalid + #","field":"message"}"#)
            .with { $0.conduct = #"{"raw":{"data":{}}}"# },
        Row("data that is no string", "InvalidArgumentError", unread + #","field":"message.data[0].value"}"#)
            .with { $0.conduct = raw(#""data":{"a":1}"#) },
        Row("unknown priority", "InvalidArgumentError", unread + #","field":"message.android.priority"}"#)
            .with { $0.conduct = raw(#""android":{"priority":"URGENT"}"#) },
        Row("unknown field", "InvalidArgumentError", unread + #","field":"message"}"#)
            .with { $0.conduct = raw(#""dota":{}"#) },
        Row("too large", "InvalidArgumentError", unread + #","field":null}"#)
            .with { $0.message = #"{"data":{"a":"\#(String(repeating: "x", count: 4096))"}}"# },
        Row("unknown token", "UnregisteredError", #"{"code":"NOT_FOUND","status":404,"errorCode":"UNREGISTERED"}"#)
            .with { $0.device = nil },
        Row("app removed", "UnregisteredError", #"{"code":"NOT_FOUND","status":404,"errorCode":"UNREGISTERED"}"#)
            .with { $0.isRemoved = true },
        Row("no such project", "NotFoundError", #"{"code":"NOT_FOUND","status":404,"errorCode":null}"#)
            .with { $0.conduct = #"{"project":"no-such-project"}"# },
        Row(
            "token of another project", "SenderIdMismatchError",
            #"{"code":"PERMISSION_DENIED","status":403,"errorCode":"SENDER_ID_MISMATCH"}"#
        ).with { $0.device = PushClientSite.otherProject },
        Row(
            "another project", "PermissionDeniedError",
            #"{"code":"PERMISSION_DENIED","status":403,"errorCode":null}"#
        ).with { $0.conduct = #"{"project":"\#(PushClientSite.otherProject)"}"# },
        Row(
            "interface switched off", "PermissionDeniedError",
            #"{"code":"PERMISSION_DENIED","status":403,"errorCode":null}"#
        ).with { $0.conduct = #"{"account":\#(PushClientSite.account(of: PushClientSite.disabledProject))}"# },
        Row(
            "access token made up", "UnauthenticatedError", #"{"code":"UNAUTHENTICATED","status":401,"errorCode":null}"#
        ).with { $0.conduct = #"{"madeUpToken":true}"# },
        Row(
            "no key for iOS", "ThirdPartyAuthError",
            #"{"code":"UNAUTHENTICATED","status":401,"errorCode":"THIRD_PARTY_AUTH_ERROR"}"#
        ).with { $0.platform = "ios" },
        Row(
            "too many to one device", "QuotaExceededError",
            #"{"code":"RESOURCE_EXHAUSTED","status":429,"errorCode":"QUOTA_EXCEEDED"}"#
        ).with { $0.conduct = #"{"repeats":\#(PushClientSite.perDevice + 1)}"# },
        Row(
            "too many for the project", "QuotaExceededError",
            #"{"code":"RESOURCE_EXHAUSTED","status":429,"errorCode":"QUOTA_EXCEEDED"}"#
        ).with {
            $0.conduct = #"{"repeats":2,"account":\#(PushClientSite.account(of: PushClientSite.busyProject))}"#
            $0.device = PushClientSite.busyProject
        },
        Row("account unknown", "RefreshError").with {
            $0.conduct = #"{"account":{"client_email":"nobody@example.com"}}"#
            $0.exceptionHTTP2 = "UnknownError"
        },
    ]

    private static let byScript: [Row] = [
        Row("INVALID_ARGUMENT_TOKEN", "InvalidArgumentError", invalid + #","field":"message.token"}"#),
        Row("INVALID_ARGUMENT_TOKEN_PLAIN", "InvalidArgumentError", invalid + #","field":null}"#),
        Row("INVALID_ARGUMENT", "InvalidArgumentError", invalid + "}"),
        Row("INVALID_ARGUMENT_SIZE", "InvalidArgumentError", unread + "}"),
        Row("UNREGISTERED", "UnregisteredError", #"{"code":"NOT_FOUND","status":404,"errorCode":"UNREGISTERED"}"#),
        Row("NOT_FOUND", "NotFoundError", #"{"code":"NOT_FOUND","status":404,"errorCode":null}"#),
        Row(
            "SENDER_ID_MISMATCH", "SenderIdMismatchError",
            #"{"code":"PERMISSION_DENIED","status":403,"errorCode":"SENDER_ID_MISMATCH"}"#),
        Row("PERMISSION_DENIED", "PermissionDeniedError", #"{"code":"PERMISSION_DENIED","status":403}"#),
        Row("SERVICE_DISABLED", "PermissionDeniedError", #"{"code":"PERMISSION_DENIED","status":403}"#),
        Row("UNAUTHENTICATED", "UnauthenticatedError", #"{"code":"UNAUTHENTICATED","status":401}"#),
        Row("UNAUTHENTICATED_MISSING", "UnauthenticatedError", #"{"code":"UNAUTHENTICATED","status":401}"#),
        Row(
            "THIRD_PARTY_AUTH_ERROR", "ThirdPartyAuthError",
            #"{"code":"UNAUTHENTICATED","status":401,"errorCode":"THIRD_PARTY_AUTH_ERROR"}"#),
        Row(
            "QUOTA_EXCEEDED", "QuotaExceededError",
            #"{"code":"RESOURCE_EXHAUSTED","status":429,"errorCode":"QUOTA_EXCEEDED"}"#),
        Row(
            "QUOTA_EXCEEDED_DEVICE", "QuotaExceededError",
            #"{"code":"RESOURCE_EXHAUSTED","status":429,"errorCode":"QUOTA_EXCEEDED"}"#),
        Row("INTERNAL", "InternalError", #"{"code":"INTERNAL","status":500,"errorCode":"INTERNAL"}"#),
        Row("UNAVAILABLE", "UnavailableError", #"{"code":"UNAVAILABLE","status":503,"errorCode":"UNAVAILABLE"}"#),
        Row(
            "UNSPECIFIED_ERROR", "InvalidArgumentError",
            #"{"code":"INVALID_ARGUMENT","status":400,"errorCode":"UNSPECIFIED_ERROR"}"#),
    ].map { row in row.with { $0.script = #"{"answer":"\#(row.name)"}"# } }

    private static let pages: [Row] = [
        Row("page 404", "NotFoundError", #"{"code":"NOT_FOUND","status":404}"#).with { $0.script = #"{"html":404}"# },
        Row("page 502", "UnknownError", #"{"code":"UNKNOWN","status":502}"#).with { $0.script = #"{"html":502}"# },
        Row("page 504", "UnknownError", #"{"code":"UNKNOWN","status":504}"#)
            .with { $0.script = #"{"html":504}"# },
        Row("body in two frames", nil).with { $0.script = #"{"split":true}"# },
    ]

    /// Names of rows that a script brought about.
    static let scriptedWords = Set(byScript.map(\.name))

    static let all: [PushClientCase] = [false, true].flatMap { isHTTP2 in
        (requests + byScript + pages).enumerated().map { number, row in
            pushCase(row, number: number + (isHTTP2 ? 1000 : 0), isHTTP2: isHTTP2)
        }
    }

    private static func pushCase(_ row: Row, number: Int, isHTTP2: Bool) -> PushClientCase {
        let token = PushClientCase.fcmToken(number)
        var device = row.device.map { Device(token: token, provider: "fcm", app: $0) }
        device?.platform = row.platform
        if row.isRemoved { device?.state = .unregistered(1) }
        let honest: JSONValue = [
            "token": .string(token), "data": ["jobId": "j"], "android": ["priority": "high", "ttl": 60],
        ]
        let changes = JSONValue.of(row.message.replacing("TOKEN", with: token)).members ?? []
        let kept = (honest.members ?? []).filter { member in !changes.contains { $0.key == member.key } }
        let message = JSONValue.object((kept + changes).filter { $0.value != .null })
        var expected = JSONValue.of(row.shows).members ?? []
        let exception = isHTTP2 ? row.exceptionHTTP2 ?? row.exception : row.exception
        expected.append(.init("exception", exception.map { .string($0) } ?? .null))
        return PushClientCase(
            name: "\(row.name), \(isHTTP2 ? "HTTP/2" : "HTTP/1.1")",
            description: [.init("provider", "fcm"), .init("http2", .bool(isHTTP2)), .init("message", message)]
                + (JSONValue.of(row.conduct.replacing("TOKEN", with: token)).members ?? []),
            device: device, script: row.script.map(JSONValue.of), expected: expected)
    }
}
