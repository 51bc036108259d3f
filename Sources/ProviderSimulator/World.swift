import HTTP2

/// Everything that the simulated providers know, and every decision they take. Pure: time and chance are arguments.
struct World: Sendable {
    var devices = DeviceTable()
    var script: Script
    /// What assertions name as their audience.
    var tokenAddress = ""
    private var providerTokens: ProviderTokens
    private var accessTokens: AccessTokens
    private let projects: [FCMProject]
    private var date = (seconds: Int64(0), text: "")

    init(_ configuration: SimulatorConfiguration) {
        script = configuration.script
        providerTokens = ProviderTokens(
            keys: configuration.apnsKeys, floorSeconds: configuration.providerTokenFloorSeconds)
        accessTokens = AccessTokens(
            projects: configuration.fcmProjects, lifetimeSeconds: configuration.accessTokenSeconds)
        projects = configuration.fcmProjects
        for device in configuration.devices { _ = devices.register(device, now: 0) }
    }

    /// `now` in epoch milliseconds.
    mutating func treat(
        _ request: ProviderRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        var treatment =
            switch request.service {
            case .apns(let environment): treatAPNS(request, environment, now: now, random: &random)
            case .fcm: treatFCM(request, now: now, random: &random)
            case .oauth: treatOAuth(request, now: now, random: &random)
            }
        if let delay = treatment.action?.delayMilliseconds {
            treatment.delayMilliseconds = Int64.random(in: delay, using: &random)
        }
        if request.version == "h2" { treatment.answer.headers.append("date", httpDate(now / 1000)) }
        return treatment
    }

    private mutating func httpDate(_ seconds: Int64) -> String {
        if date.seconds != seconds { date = (seconds, WallClock.httpDate(seconds)) }
        return date.text
    }

    private mutating func action(
        _ request: ProviderRequest, token: String?, now: Int64, random: inout some RandomNumberGenerator
    ) -> Action? {
        guard !script.rules.isEmpty else { return nil }
        let chance = Double.random(in: 0..<1, using: &random)
        let action = script.action(for: request, token: token) { chance }
        if let since = action?.expire, let token { devices.setState(token, .unregistered(since)) }
        if action?.revokeAccessTokens == true { accessTokens.revokeAll() }
        return action
    }

    // MARK: APNs

    private mutating func treatAPNS(
        _ request: ProviderRequest, _ environment: String, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        let (token, refusal) = APNSCheck.route(request)
        let id = request.header("apns-id") ?? Self.uuid(&random)
        func answer(_ reason: APNSReason?, timestamp: Int64? = nil) -> ProviderAnswer {
            var headers: Headers = ["apns-id": id]
            if environment == "sandbox" { headers.append("apns-unique-id", id) }
            guard let reason else { return ProviderAnswer(status: 200, headers: headers) }
            return ProviderAnswer(
                status: reason.status, headers: headers, body: reason.body(timestamp: timestamp),
                reason: reason.rawValue)
        }
        if let refusal { return Treatment(answer: answer(refusal)) }
        let action = action(request, token: token, now: now, random: &random)
        let judgement = providerTokens.judge(
            authorization: request.header("authorization"), connection: "\(environment) \(request.connection)",
            environment: environment, now: now / 1000)
        var treatment = Treatment(answer: answer(nil), action: action)
        if case .accepted(_, isFirst: true) = judgement { treatment.opensStreams = true }
        let scripted = scriptedAPNS(action, id: id, now: now)
        if let scripted { treatment.answer = scripted }
        if (scripted != nil || action?.breaksOff == true) && action?.deliver != true { return treatment }

        switch judgeAPNS(request, token: token ?? "", judgement, environment) {
        case .refused(let reason, let timestamp):
            if scripted == nil { treatment.answer = answer(reason, timestamp: timestamp) }
        case .accepted(let content):
            guard action?.drop != true, !content.isVain else { break }
            let message = PushMessage(
                id: id, payload: content.payload, collapseKey: content.collapseID, priority: "\(content.priority)",
                expiresAt: content.expiration.map { $0 * 1000 }, isNowOrNever: content.expiration == 0)
            treatment.outgoing = devices.accept(message, for: content.token, now: now)
        }
        return treatment
    }

    private enum APNSVerdict {
        case accepted(APNSCheck.Content)
        case refused(APNSReason, timestamp: Int64?)
    }

    private func judgeAPNS(
        _ request: ProviderRequest, token: String, _ judgement: ProviderTokens.Judgement, _ environment: String
    ) -> APNSVerdict {
        let topics: [String]?
        switch judgement {
        case .refused(let reason): return .refused(reason, timestamp: nil)
        case .accepted(let allowed, _): topics = allowed
        }
        let content: APNSCheck.Content
        switch APNSCheck.content(request, token: token, topics: topics) {
        case .refused(let reason): return .refused(reason, timestamp: nil)
        case .content(let read): content = read
        }
        guard APNSCheck.isToken(token), let device = devices[token], device.provider == "apns",
            device.environment == environment
        else { return .refused(.badDeviceToken, timestamp: nil) }
        guard device.app == content.topic else { return .refused(.deviceTokenNotForTopic, timestamp: nil) }
        switch device.state {
        case .active: return .accepted(content)
        case .unregistered(let since): return .refused(.unregistered, timestamp: since)
        case .expired(let since): return .refused(.expiredToken, timestamp: since)
        }
    }

    private func scriptedAPNS(_ action: Action?, id: String, now: Int64) -> ProviderAnswer? {
        if let status = action?.html { return .html(status) }
        guard let answer = action?.answer else { return nil }
        let reason = answer.reason.flatMap(APNSReason.init(rawValue:))
        let status = answer.status ?? reason?.status ?? 500
        var headers: Headers = ["apns-id": id]
        if let retryAfter = answer.retryAfter { headers.append("retry-after", retryAfter) }
        var body: [UInt8] = []
        if let literal = answer.body {
            body = Array(literal.utf8)
        } else if let word = answer.reason {
            var members: [JSONValue.Member] = [.init("reason", .string(word))]
            if status == 410 { members.append(.init("timestamp", .integer(answer.timestamp ?? now))) }
            body = JSONValue.object(members).bytes
        }
        return ProviderAnswer(
            status: status, headers: headers, body: body, reason: status == 200 ? nil : answer.reason ?? "scripted")
    }

    // MARK: FCM

    private mutating func treatFCM(
        _ request: ProviderRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        guard request.method == "POST", let project = FCMCheck.project(request.path) else {
            return Treatment(answer: .html(404))
        }
        let content = FCMCheck.content(request.body)
        var token: String?
        if case .content(let read) = content { token = read.token }
        let action = action(request, token: token, now: now, random: &random)
        var treatment = Treatment(answer: .html(500), action: action)
        let scripted = scriptedFCM(action)
        if let scripted { treatment.answer = scripted }
        if (scripted != nil || action?.breaksOff == true) && action?.deliver != true { return treatment }

        switch judgeFCM(request, project: project, content, now: now) {
        case .refused(let answer): if scripted == nil { treatment.answer = answer }
        case .accepted(let content):
            let number = content.isDryRun ? "fake_message_id" : "0:\(now * 1000)%\(Self.hex(16, &random))"
            let name = "projects/\(project)/messages/\(number)"
            if scripted == nil {
                treatment.answer = ProviderAnswer(
                    status: 200, headers: ["content-type": "application/json; charset=UTF-8"],
                    body: Array("{\n  \"name\": \(JSONValue.string(name).text)\n}\n".utf8))
            }
            guard action?.drop != true, !content.isDryRun else { break }
            let message = PushMessage(
                id: name, payload: content.data, collapseKey: content.collapseKey, priority: content.priority,
                expiresAt: now + content.timeToLive, isNowOrNever: content.timeToLive == 0,
                kind: content.hasNotification ? .notification : .message)
            treatment.outgoing = devices.accept(message, for: content.token, now: now)
        }
        return treatment
    }

    private func judgeFCM(_ request: ProviderRequest, project: String, _ content: FCMCheck.Result, now: Int64)
        -> FCMVerdict
    {
        guard let authorization = request.header("authorization"), authorization.lowercased().hasPrefix("bearer "),
            let grant = accessTokens.grant(String(authorization.dropFirst(7))), grant.expiresAt > now / 1000
        else { return .refused(FCMError.unauthenticated.answer()) }
        if grant.projectID != project {
            let known = projects.contains { $0.projectID == project }
            return .refused((known ? FCMError.permissionDenied : .notFound).answer())
        }
        let read: FCMCheck.Content
        switch content {
        case .refused(let answer): return .refused(answer)
        case .content(let content): read = content
        }
        guard let device = devices[read.token] else {
            return .refused((FCMCheck.isToken(read.token) ? FCMError.unregistered : .invalidToken).answer())
        }
        guard device.provider == "fcm" else { return .refused(FCMError.invalidToken.answer()) }
        guard device.app == project else { return .refused(FCMError.senderIDMismatch.answer()) }
        guard device.state == .active else { return .refused(FCMError.unregistered.answer()) }
        return .accepted(read)
    }

    private enum FCMVerdict {
        case accepted(FCMCheck.Content)
        case refused(ProviderAnswer)
    }

    private func scriptedFCM(_ action: Action?) -> ProviderAnswer? {
        if let status = action?.html { return .html(status) }
        guard let answer = action?.answer else { return nil }
        if answer.body == nil, let error = answer.reason.flatMap(FCMError.init(rawValue:)) {
            var built = error.answer(retryAfter: answer.retryAfter)
            built.status = answer.status ?? built.status
            return built
        }
        var headers: Headers = ["content-type": "application/json; charset=UTF-8"]
        if let retryAfter = answer.retryAfter { headers.append("retry-after", retryAfter) }
        let status = answer.status ?? 500
        return ProviderAnswer(
            status: status, headers: headers, body: Array((answer.body ?? "").utf8),
            reason: status == 200 ? nil : answer.reason ?? "scripted")
    }

    // MARK: OAuth

    private mutating func treatOAuth(
        _ request: ProviderRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        let action = action(request, token: nil, now: now, random: &random)
        if let status = action?.html { return Treatment(answer: .html(status), action: action) }
        if let scripted = action?.answer {
            let word = scripted.reason ?? "server_error"
            var answer = AccessTokens.refusal(word, "Scripted.", status: scripted.status)
            if let retryAfter = scripted.retryAfter { answer.headers.append("retry-after", retryAfter) }
            if let body = scripted.body { answer.body = Array(body.utf8) }
            return Treatment(answer: answer, action: action)
        }
        let part = Self.hex(40, &random)
        let answer = accessTokens.exchange(request, audience: tokenAddress, now: now / 1000) { part }
        return Treatment(answer: answer, action: action)
    }

    // MARK: Chance

    private static func hex(_ count: Int, _ random: inout some RandomNumberGenerator) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: (0..<count).map { _ in digits[Int.random(in: 0..<16, using: &random)] }, as: UTF8.self)
    }

    private static func uuid(_ random: inout some RandomNumberGenerator) -> String {
        var text = hex(32, &random)
        for offset in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
        return text
    }
}
