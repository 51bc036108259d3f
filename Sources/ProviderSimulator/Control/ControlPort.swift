import HTTP2
import HTTPServer

/// The simulator's own interface: journal, deliveries, phones, script. Plain HTTP/1.1, for this machine only.
struct ControlPort: Sendable {
    let core: SimulatorCore

    func answer(_ request: HTTPServer.Request) async -> HTTPServer.Response {
        let parts = request.path.split(separator: "/").map(String.init)
        do throws(ScriptError) {
            switch (request.method, parts.first ?? "", parts.count) {
            case ("GET", "healthz", 1): return .text("ok\n")
            case ("GET", "journal", 1): return await journal(request)
            case ("GET", "deliveries", 1): return await deliveries(request)
            case ("GET", "script", 1): return .json(Self.rules(core.script).bytes)
            case ("POST", "script", 1):
                core.play(try Script(parsing: request.body), appending: request.parameter("append") == "1")
                return .json(Self.rules(core.script).bytes)
            case ("DELETE", "script", 1):
                core.play(Script())
                return HTTPServer.Response(status: 204)
            case ("GET", "devices", 1): return Self.lines(core.devices.map(\.json))
            case ("GET", "devices", 2):
                guard let device = core.device(parts[1]) else { return Self.problem("unknown token", status: 404) }
                return .json(device.json.bytes)
            case ("POST", "devices", 2): return try register(parts[1], request.body)
            case ("DELETE", "devices", 2): return unregister(parts[1], request)
            case ("POST", "connections", 1): return try await connections(request.body)
            default: return Self.problem("no such resource: \(request.method) \(request.path)", status: 404)
            }
        } catch {
            return Self.problem(error.description, status: 400)
        }
    }

    // MARK: Reading

    private func journal(_ request: HTTPServer.Request) async -> HTTPServer.Response {
        let (after, wait, limit) = Self.window(request)
        let entries = await core.journal.after(after, waiting: wait, limit: limit)
        return Self.lines(entries.map { $0.element.json(number: $0.number) })
    }

    private func deliveries(_ request: HTTPServer.Request) async -> HTTPServer.Response {
        let (after, wait, limit) = Self.window(request)
        let entries = await core.deliveries.after(after, waiting: wait, limit: limit)
        return Self.lines(entries.map { $0.element.json(number: $0.number) })
    }

    private static func window(_ request: HTTPServer.Request) -> (after: Int, wait: Duration, limit: Int) {
        let after = request.parameter("after").flatMap { Int($0) } ?? 0
        let seconds = request.parameter("waitSeconds").flatMap { Double($0) } ?? 0
        let limit = request.parameter("limit").flatMap { Int($0) } ?? 10_000
        return (max(0, after), .milliseconds(Int64(min(max(0, seconds), 60) * 1000)), max(1, limit))
    }

    // MARK: Phones

    private func register(_ token: String, _ body: [UInt8]) throws(ScriptError) -> HTTPServer.Response {
        guard let value = JSONValue(parsing: body) else { throw ScriptError("device: not valid JSON") }
        core.register(try Device(value, token: token, before: core.device(token), at: "device"))
        return .json(core.device(token)?.json.bytes ?? [])
    }

    private func unregister(_ token: String, _ request: HTTPServer.Request) -> HTTPServer.Response {
        guard core.device(token) != nil else { return Self.problem("unknown token", status: 404) }
        let since = request.parameter("timestamp").flatMap { Int64($0) } ?? WallClock.now
        core.unregister(token, request.parameter("reason") == "expired" ? .expired(since) : .unregistered(since))
        return HTTPServer.Response(status: 204)
    }

    // MARK: Connections

    /// Something for all open connections of one service at once.
    private func connections(_ body: [UInt8]) async throws(ScriptError) -> HTTPServer.Response {
        guard let value = JSONValue(parsing: body) else { throw ScriptError("connections: not valid JSON") }
        let fields = try Fields(
            value, at: "connections", known: ["provider", "environment", "do", "streams", "reason"])
        let service: ProviderService
        switch try fields.string("provider") {
        case "apns": service = .apns(environment: try fields.string("environment") ?? "production")
        case "fcm": service = .fcm
        case "oauth": service = .oauth
        default: throw ScriptError("connections.provider must be apns, fcm or oauth")
        }
        guard let server = core.server(service) else { throw ScriptError("connections: no such service") }
        switch try fields.string("do") {
        case "goAway":
            let reason = try fields.string("reason") ?? ""
            let debug =
                service == .fcm || reason.isEmpty
                ? reason : JSONValue(dictionaryLiteral: ("reason", .string(reason))).text
            await server.goAway(debug: debug)
        case "silence": await server.silence()
        case "disconnect": await server.disconnect()
        case "streams": await server.setConcurrentStreams(UInt32(clamping: try fields.integer("streams") ?? 1))
        default: throw ScriptError("connections.do must be goAway, silence, disconnect or streams")
        }
        return HTTPServer.Response(status: 204)
    }

    // MARK: Forms

    private static func lines(_ values: [JSONValue]) -> HTTPServer.Response {
        var body: [UInt8] = []
        for value in values {
            body += value.bytes
            body.append(0x0A)
        }
        return HTTPServer.Response(status: 200, headers: ["Content-Type": "application/jsonl"], body: body)
    }

    private static func problem(_ text: String, status: UInt16) -> HTTPServer.Response {
        .json(JSONValue.object([.init("error", .string(text))]).bytes, status: status)
    }

    private static func rules(_ script: Script) -> JSONValue {
        let rules = script.rules.map { rule -> JSONValue in
            ["seen": .integer(Int64(rule.seen)), "used": .integer(Int64(rule.used))]
        }
        return ["rules": .array(rules)]
    }
}
