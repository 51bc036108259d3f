import HTTP2
import HTTPServer

/// The simulator's own interface: journal, deliveries, phones, script, clock, connections. Plain HTTP/1.1, for this
/// machine only.
struct ControlPort: Sendable {
    let world: SharedWorld

    func answer(_ request: HTTPServer.Request) async -> HTTPServer.Response {
        let parts = request.path.split(separator: "/").map(String.init)
        do throws(ScriptError) {
            switch (request.method, parts.first ?? "", parts.count) {
            case ("GET", "healthz", 1): return .text("ok\n")
            case ("GET", "journal", 1): return try await lines(of: world.journal, request)
            case ("GET", "answers", 1): return try await answers(request)
            case ("GET", "deliveries", 1): return try await lines(of: world.deliveries, request)
            case ("GET", "script", 1): return .json(Self.counts(world.script).bytes)
            case ("POST", "script", 1):
                world.play(try Script(parsing: request.body), appending: request.parameter("append") == "1")
                return .json(Self.counts(world.script).bytes)
            case ("DELETE", "script", 1):
                world.play(Script())
                return HTTPServer.Response(status: 204)
            case ("GET", "devices", 1): return Self.lines(world.devices.map(\.json))
            case ("POST", "devices", 1): return try register(request.body)
            case ("GET", "devices", 2): return try device(parts[1])
            case ("POST", "devices", 2): return try register(parts[1], request.body)
            case ("DELETE", "devices", 2): return try unregister(parts[1], request)
            case ("POST", "connections", 1): return try await connections(request.body)
            case ("GET", "clock", 1): return clock
            case ("POST", "clock", 1): return try setClock(request.body)
            default: return Self.problem("no such resource: \(request.method) \(request.path)", status: 404)
            }
        } catch {
            return Self.problem(error.description, status: 400)
        }
    }

    // MARK: Reading

    private func lines(of feed: Feed<some FeedElement>, _ request: HTTPServer.Request) async throws(ScriptError)
        -> HTTPServer.Response
    {
        Self.lines(try await entries(of: feed, request).map { $0.element.json(number: $0.number) })
    }

    /// The journal for readers in a hurry: see `JournalEntry.answerLine`.
    private func answers(_ request: HTTPServer.Request) async throws(ScriptError) -> HTTPServer.Response {
        var body: [UInt8] = []
        for entry in try await entries(of: world.journal, request) {
            entry.element.answerLine(number: entry.number, to: &body)
        }
        return HTTPServer.Response(status: 200, headers: ["Content-Type": "text/plain"], body: body)
    }

    private func entries<Element: Sendable>(of feed: Feed<Element>, _ request: HTTPServer.Request)
        async throws(ScriptError)
        -> [Feed<Element>.Entry]
    {
        let after = try Self.number(request, "after", 0...Double(Int32.max)) ?? 0
        let wait = try Self.number(request, "waitSeconds", 0...60) ?? 0
        let limit = try Self.number(request, "limit", 1...1_000_000) ?? 10_000
        return await feed.after(Int(after), waiting: .seconds(wait), limit: Int(limit))
    }

    private static func number(_ request: HTTPServer.Request, _ name: String, _ range: ClosedRange<Double>)
        throws(ScriptError) -> Double?
    {
        guard let text = request.parameter(name) else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw ScriptError("\(name) must be a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        return number
    }

    // MARK: Phones

    private func device(_ token: String) throws(ScriptError) -> HTTPServer.Response {
        guard let device = world.device(token) else { return Self.problem("unknown token", status: 404) }
        return .json(device.json.bytes)
    }

    /// Many at once: each line is a phone with its token. All are read before the first is registered.
    private func register(_ body: [UInt8]) throws(ScriptError) -> HTTPServer.Response {
        var devices: [Device] = []
        for (index, line) in body.split(separator: 0x0A).enumerated() {
            let place = "line \(index + 1)"
            let value = try JSONValue(ours: Array(line), at: place)
            guard let token = value["token"]?.string else { throw ScriptError("\(place).token is missing") }
            devices.append(try Device(value, token: token, before: world.device(token), at: place))
        }
        for device in devices { world.register(device) }
        return .json(JSONValue.object([.init("registered", .integer(Int64(devices.count)))]).bytes)
    }

    private func register(_ token: String, _ body: [UInt8]) throws(ScriptError) -> HTTPServer.Response {
        let value = try JSONValue(ours: body, at: "device")
        world.register(try Device(value, token: token, before: world.device(token), at: "device"))
        return try device(token)
    }

    private func unregister(_ token: String, _ request: HTTPServer.Request) throws(ScriptError) -> HTTPServer.Response {
        guard world.device(token) != nil else { return Self.problem("unknown token", status: 404) }
        let since = try Self.number(request, "timestamp", 0...9e15).map { Int64($0) } ?? world.now
        world.unregister(token, request.parameter("reason") == "expired" ? .expired(since) : .unregistered(since))
        return HTTPServer.Response(status: 204)
    }

    // MARK: Connections and clock

    /// Something for all open connections of one service at once.
    private func connections(_ body: [UInt8]) async throws(ScriptError) -> HTTPServer.Response {
        let order = try ConnectionOrder(try JSONValue(ours: body, at: "connections"), at: "connections")
        guard let server = world.server(order.service) else { throw ScriptError("connections: no such service") }
        switch order.deed {
        case .goAway(let code, let debug): await server.goAway(code: code, debug: debug)
        case .silence: await server.silence()
        case .disconnect: await server.disconnect()
        case .streams(let count): await server.setConcurrentStreams(count)
        }
        return HTTPServer.Response(status: 204)
    }

    private var clock: HTTPServer.Response {
        .json(JSONValue.object([.init("now", .integer(world.now))]).bytes)
    }

    private func setClock(_ body: [UInt8]) throws(ScriptError) -> HTTPServer.Response {
        let fields = try Fields(try JSONValue(ours: body, at: "clock"), at: "clock", known: ["offsetSeconds"])
        guard let offset = try fields.integer("offsetSeconds", in: -3_000_000_000...3_000_000_000) else {
            throw ScriptError("clock.offsetSeconds is missing: seconds by which it is ahead of the machine's clock")
        }
        world.setClockOffset(offset * 1000)
        return clock
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

    private static func counts(_ script: Script) -> JSONValue {
        let rules = script.rules.map { rule -> JSONValue in
            [
                "name": rule.name.map { .string($0) } ?? .null, "seen": .integer(Int64(rule.seen)),
                "used": .integer(Int64(rule.used)),
            ]
        }
        return ["rules": .array(rules)]
    }
}
